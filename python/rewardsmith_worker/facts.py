"""What this interpreter is, and which packages and versions it has."""

from .own import BUILTINS as __builtins__  # noqa: F401

import importlib
import os
import re
import sys

from . import loader, randomness

_INFO = re.compile(r"^(.+?)-([^-]+)(?:-py[\d.]+)?\.(?:dist-info|egg-info)$")
_THREADS = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "RAYON_NUM_THREADS",
)
_index = None


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _distributions() -> dict:
    """Normalised distribution name → (name, version, folder). The first on the path wins, as in an import."""
    global _index
    if _index is None:
        _index = {}
        for entry in sys.path:
            try:
                names = os.listdir(entry or ".")
            except OSError:
                continue
            for name in names:
                match = _INFO.match(name) if name.endswith("-info") else None
                if match:
                    _index.setdefault(
                        _plain(match.group(1)), (match.group(1), match.group(2), os.path.join(entry, name))
                    )
    return _index


_modules = None


def _owners() -> dict:
    """Top-level module → distribution, where the distribution says so and the names differ."""
    global _modules
    if _modules is None:
        _modules = {}
        for key, (_, _, folder) in _distributions().items():
            try:
                with open(os.path.join(folder, "top_level.txt"), encoding="utf-8") as file:
                    for top in file.read().split():
                        _modules.setdefault(top, key)
            except OSError:
                continue
    return _modules


def prepare() -> None:
    """Reads what ``versions`` needs, once, so that forked children have it."""
    _owners()


def installed(names: list) -> dict:
    known = _distributions()
    return {name: known[_plain(name)][1] if _plain(name) in known else None for name in names}


def versions(modules: list) -> dict:
    """Versions of the distributions behind top-level modules, by the distribution's name; where none is known, the
    module's own ``__version__`` by the module's name."""
    if not modules:
        return {}
    known, owners, found = _distributions(), _owners(), {}
    for module in modules:
        entry = known.get(_plain(module)) or known.get(owners.get(module, ""))
        if entry:
            found[entry[0]] = entry[1]
            continue
        version = getattr(sys.modules.get(module), "__version__", None)
        if isinstance(version, str):
            found[module] = version[:100]
    return found


def threads() -> int:
    """Threads of this process, also those that Python doesn't know."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        import threading

        return threading.active_count()


def preload(modules: list) -> dict:
    """Imports installed modules with one thread for each numeric library. Gives what failed: module → message."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    failed = {}
    try:
        for module in modules:
            try:
                importlib.import_module(module)
            except BaseException as error:
                failed[module] = (type(error).__name__ + ": " + str(error))[:1000]
        randomness.numpy_random()
        loader.forget_own_modules()
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
    return failed


def ready(mode_forks: bool, abilities: dict, packages: list, failed: dict) -> dict:
    count = threads()
    return {
        "t": "ready",
        "protocol": 1,
        "pid": os.getpid(),
        "python": {
            "version": list(sys.version_info[:3]),
            "implementation": sys.implementation.name,
            "executable": sys.executable or "",
            "prefix": sys.prefix,
            "basePrefix": sys.base_prefix,
        },
        "platform": sys.platform,
        "capabilities": {
            "fork": mode_forks and count == 1,
            "subreaper": abilities["subreaper"],
            "deathSignal": abilities["deathSignal"],
            "monitoring": hasattr(sys, "monitoring"),
        },
        "threads": count,
        "packages": installed(packages),
        "preloadFailed": failed,
    }
