"""Loads the user's own modules anew: unsaved text before the disk, never from a bytecode cache."""

from .own import BUILTINS as __builtins__  # noqa: F401

import importlib
import importlib.util
import linecache
import os
import sys
import sysconfig
from importlib.machinery import ModuleSpec, SourceFileLoader

from .own import AT_START

_SITE = ("site-packages", "dist-packages")
_STDLIB = tuple(
    {
        os.path.join(os.path.normcase(spelling(path)), "")
        for path in map(sysconfig.get_path, ("stdlib", "platstdlib"))
        for spelling in (os.path.abspath, os.path.realpath)
        if path
    }
)
_HERE = os.path.normcase(os.path.dirname(os.path.abspath(__file__))) + os.sep


def normal(path: str) -> str:
    return os.path.normcase(os.path.abspath(path))


def same(one: str, other: str) -> bool:
    return one == other or normal(one) == normal(other)


def is_third_party(path: str) -> bool:
    parts = os.path.normcase(path).split(os.sep)
    return any(site in parts for site in _SITE)


def is_own_code(path: str) -> bool:
    """Whether a source file is the user's: neither standard library nor installed package nor this worker."""
    full = normal(path)
    return not (is_third_party(full) or full.startswith(_STDLIB) or full.startswith(_HERE))


def split_lines(text: str) -> list:
    """Lines as Python counts them (``str.splitlines`` also cuts at form feeds and the like)."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


class Overlays:
    """Unsaved text by path; paths compare as the system compares them, links followed as a second try."""

    def __init__(self, texts: dict) -> None:
        self._texts = {}
        self.folders = set()
        for path, text in texts.items():
            for name in {normal(path), os.path.normcase(os.path.realpath(path))}:
                self._texts[name] = text
                folder = os.path.dirname(name)
                while folder not in self.folders and folder != os.path.dirname(folder):
                    self.folders.add(folder)
                    folder = os.path.dirname(folder)
        self._names = {os.path.basename(name) for name in self._texts}

    def tops(self, roots: list) -> set:
        """Names of top-level modules and packages that the unsaved texts make below ``roots``."""
        found = set()
        for root in roots:
            front = os.path.join(normal(root), "")
            for name in self._texts:
                if name.startswith(front):
                    top, _, below = name[len(front) :].partition(os.sep)
                    if below and os.path.join(front + top, "__init__.py") in self._texts:
                        found.add(top)
                    elif not below and top.endswith(".py"):
                        found.add(top[:-3])
        return found

    def get(self, path: str):
        name = normal(path)
        if os.path.basename(name) not in self._names:
            return None
        text = self._texts.get(name)
        return self._texts.get(os.path.normcase(os.path.realpath(path))) if text is None else text


class UserLoader(SourceFileLoader):
    """A source file of the user's, from its unsaved text or from the disk, compiled each time."""

    def __init__(self, fullname: str, path: str, user: "UserFiles") -> None:
        super().__init__(fullname, path)
        self._user = user

    def get_code(self, fullname):
        return self._user.compile(self.path)

    def get_data(self, path):
        text = self._user.overlays.get(path)
        return super().get_data(path) if text is None else text.encode("utf-8", "surrogatepass")

    def get_source(self, fullname):
        text = self._user.overlays.get(self.path)
        return super().get_source(fullname) if text is None else text


class UserFiles:
    """Meta path finder. ``files`` are the user's files in the order in which they were loaded."""

    def __init__(self, overlays: Overlays) -> None:
        self.overlays = overlays
        self.files = []
        self.known = set()
        self.codes = {}
        # Compiles in place of the plain compiler, where it can (``explain.Explainer``).
        self.explainer = None
        self._sources = {}

    # -- reading -------------------------------------------------------------------------------------------------

    def compile(self, path: str):
        text = self.overlays.get(path)
        if text is None:
            with open(path, "rb") as file:
                source = file.read()
        else:
            source = text[1:] if text.startswith("\ufeff") else text
            # So that tracebacks that user code prints show the unsaved text.
            linecache.cache[path] = (len(source), None, [line + "\n" for line in split_lines(source)], path)
        if path not in self.known:
            self.known.add(path)
            self.files.append(path)
        self._sources[path] = source
        code = self.explainer.compile(source, path) if self.explainer is not None else None
        if code is None:
            code = compile(source, path, "exec", dont_inherit=True)
        self.codes[path] = code
        return code

    def line(self, path: str, number: int) -> str:
        """A source line, stripped; empty where there is none."""
        source = self._sources.get(path, [])
        if type(source) is not list:
            text = source.decode("utf-8", "replace") if type(source) is bytes else source
            source = self._sources[path] = split_lines(text)
        return source[number - 1].strip() if 0 < number <= len(source) else ""

    # -- finding -------------------------------------------------------------------------------------------------

    def find_spec(self, name, path=None, target=None):
        spec = None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find else None
            if spec is not None:
                break
        if spec is None or self.overlays.folders:
            laid = self._find_overlay(name, sys.path if path is None else path, spec)
            if laid is not None:
                return laid
        if spec is not None and type(spec.loader) is SourceFileLoader and is_own_code(spec.loader.path):
            spec.loader = UserLoader(name, spec.loader.path, self)
        return spec

    def invalidate_caches(self) -> None:
        """Nothing is kept."""

    def _find_overlay(self, name, entries, spec):
        """A module that exists as unsaved text only, where it stands before what the disk has."""
        if spec is not None and (spec.origin in ("built-in", "frozen") or is_third_party(spec.origin or "")):
            return None
        last = name.rpartition(".")[2]
        found = None if spec is None or spec.origin is None else normal(spec.origin)
        for entry in entries:
            if not isinstance(entry, str):
                continue
            base = os.path.join(os.path.abspath(entry or os.getcwd()), last)
            package, module = os.path.join(base, "__init__.py"), base + ".py"
            if found in (normal(package), normal(module)) and self.overlays.get(package) is None:
                return None
            for file in (package, module):
                if self.overlays.get(file) is not None:
                    return importlib.util.spec_from_file_location(
                        name,
                        file,
                        loader=UserLoader(name, file, self),
                        submodule_search_locations=[base] if file is package else None,
                    )
            if spec is None and normal(base) in self.overlays.folders:
                folder = ModuleSpec(name, None, is_package=True)
                folder.submodule_search_locations = [base]
                return folder
        return None


# Modules that stood where the user's files of the same names belong.
_aside = {}


def set_aside(roots: list, user: UserFiles) -> None:
    """A plain run finds the user's ``queue.py`` before the standard library's. That this process has loaded a module
    of that name already, for itself or a package, must not change it: takes such modules out of ``sys.modules``."""
    names = user.overlays.tops(roots)
    for root in roots:
        if not is_own_code(os.path.join(root, "")):
            continue  # A reward inside an installed package: what is loaded is what stands there.
        try:
            for entry in os.listdir(root):
                if entry.endswith(".py"):
                    names.add(entry[:-3])
                elif entry in sys.modules and os.path.isfile(os.path.join(root, entry, "__init__.py")):
                    names.add(entry)
        except OSError:
            continue
    names -= AT_START
    names.discard(__package__)
    for name in [name for name in sys.modules if name.partition(".")[0] in names]:
        _aside[name] = sys.modules.pop(name)


def _is_users(module) -> bool:
    spec = getattr(module, "__dict__", {}).get("__spec__")
    return type(getattr(spec, "loader", None)) is UserLoader


def import_asyncio(roots: list, user: UserFiles):
    """The standard library's ``asyncio`` for this worker's own use, also where the user's files have names that it
    needs."""
    there = sys.modules.get("asyncio")
    if type(there) is type(sys) and "run" in vars(there) and not _is_users(there):
        return there
    theirs = {name: module for name, module in list(sys.modules.items()) if _is_users(module)}
    if there is not None:
        theirs["asyncio"] = there
    path, finders = list(sys.path), list(sys.meta_path)
    try:
        for name in theirs:
            del sys.modules[name]
        sys.modules.update(_aside)
        sys.path[:] = [entry for entry in path if entry not in roots]
        sys.meta_path[:] = [finder for finder in finders if finder is not user]
        module = importlib.import_module("asyncio")
        try:
            # Its first loop imports more from the package.
            module.new_event_loop().close()
        except Exception:
            pass  # The call itself will say why.
        return module
    finally:
        sys.path[:], sys.meta_path[:] = path, finders
        set_aside(roots, user)
        sys.modules.update(theirs)


class MissingFile(Exception):
    """The reward file is neither on the disk nor open."""


def load(path: str, module: str, roots: list, user: UserFiles):
    """Imports the file at ``path`` under the name ``module``. Whatever the user's code raises comes through. Gives the
    module, or what its code put in its place in ``sys.modules`` (None doesn't count)."""
    if user.overlays.get(path) is None and not os.path.isfile(path):
        raise MissingFile(path)
    fronts = set(roots)
    sys.path[:] = list(roots) + [entry for entry in sys.path if entry not in fronts]
    # Listings of the user's folders may be older than their last change. (importlib.invalidate_caches() would load
    # some 20 modules for the sake of installed packages, which don't change here.)
    for entry in [entry for entry in sys.path_importer_cache if is_own_code(os.path.join(entry, ""))]:
        del sys.path_importer_cache[entry]
    sys.meta_path.insert(0, user)
    set_aside(roots, user)
    outer, _, last = module.rpartition(".")
    if outer:
        importlib.import_module(outer)
        there = sys.modules.get(module)
        if there is not None and same(getattr(there, "__file__", None) or "", path):
            return there
    spec = importlib.util.spec_from_file_location(module, path, loader=UserLoader(module, path, user))
    made = importlib.util.module_from_spec(spec)
    sys.modules[module] = made
    if outer:
        setattr(sys.modules[outer], last, made)
    spec.loader.exec_module(made)
    there = sys.modules.get(module)
    return made if there is None else there


_seen = (None, frozenset())


def _third_party_among(names) -> set:
    found = set()
    for name in names:
        top = name.partition(".")[0]
        if top in found or top in AT_START:
            continue
        file = getattr(sys.modules.get(name), "__dict__", {}).get("__file__")
        if isinstance(file, str) and is_third_party(file) and top.isidentifier():
            found.add(top)
    return found


def note_modules() -> None:
    """Before forking: what is loaded now. Children then look at new modules only (looking at one copies its page)."""
    global _seen
    names = list(sys.modules)
    _seen = names[-1], _third_party_among(names)


def third_party_modules() -> list:
    """Top-level names of installed packages that are loaded."""
    last, known = _seen
    fresh = []
    for name in reversed(list(sys.modules) if type(sys.modules) is not dict else sys.modules):
        if name == last:
            break
        fresh.append(name)
    return sorted(known | _third_party_among(fresh))


def forget_own_modules() -> list:
    """Takes modules of the user's out of ``sys.modules`` (a preloaded package may have pulled one in)."""
    gone = []
    for name, module in list(sys.modules.items()):
        if name == "__main__" or name.partition(".")[0] == __package__:
            continue
        file = getattr(module, "__dict__", {}).get("__file__")
        if isinstance(file, str) and file.endswith(".py") and is_own_code(file):
            del sys.modules[name]
            gone.append(name)
    return gone
