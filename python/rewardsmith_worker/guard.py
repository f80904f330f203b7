"""Live guard: while the user types, side effects end the unit as held until they are allowed.

An audit hook, so it sees what C code does on behalf of Python too. It guards against accidents; it isn't a sandbox.
"""

from .own import BUILTINS as __builtins__  # noqa: F401

import os
import sys

from .reasons import TARGET, cut

_getframe, _getpid = sys._getframe, os.getpid
_abspath, _normcase, _realpath = os.path.abspath, os.path.normcase, os.path.realpath
_lexists, _isdir, _fsdecode = os.path.lexists, os.path.isdir, os.fsdecode
_SEP = os.sep
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_NOWHERE = {"/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/stdout", "/dev/stderr", "nul", "con"}
_BOOTSTRAP = ("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>")


class Held(BaseException):
    """A side effect that isn't allowed while live. Not an Exception: ``except Exception`` lets it through."""


def _address(args) -> str:
    address = args[-1]
    if isinstance(address, tuple) and len(address) >= 2:
        return "%s:%s" % (_text(address[0]), address[1])
    return _text(address)


def _host(args) -> str:
    return _text(args[0]) if len(args) < 2 or args[1] is None else "%s:%s" % (_text(args[0]), _text(args[1]))


def _text(value) -> str:
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("utf-8", "replace")
    return str(value)


def _program(args) -> str:
    """subprocess.Popen(executable, args, …); os.exec(path, args, env); os.system(command)."""
    for value in args[:2]:
        if isinstance(value, (list, tuple)) and value:
            return " ".join(_text(part) for part in value)
        if isinstance(value, (str, bytes)) and len(args) == 1:
            return _text(value)
    return _text(args[0]) if args else ""


def _path(value):
    """A path as text; None for descriptors, which were opened (and looked at) before."""
    if value is None or isinstance(value, (int, float)):
        return None
    try:
        return _abspath(_fsdecode(value))
    except (TypeError, ValueError):
        return None


class Guard:
    """``held`` is the first side effect since ``begin`` as a ``Reason``, also where user code swallowed the exception."""

    def __init__(self, folder: str) -> None:
        self._folders = tuple({os.path.join(_normcase(path), "") for path in (folder, _realpath(folder))})
        self._allow = frozenset()
        self._active = False
        self._known = frozenset()
        self._file = ""
        self._ours = os.path.join(os.path.dirname(_abspath(__file__)), "")
        self.held = None
        connect = ("connect", _address)
        host = ("connect", _host)
        process = ("process", _program)
        self._events = {
            "socket.connect": connect,
            "socket.sendto": connect,
            "socket.sendmsg": connect,
            "socket.getaddrinfo": host,
            "socket.gethostbyname": host,
            "socket.gethostbyaddr": host,
            "http.client.connect": ("connect", lambda args: _host(args[1:])),
            "smtplib.connect": ("connect", lambda args: _host(args[1:])),
            "ftplib.connect": ("connect", lambda args: _host(args[1:])),
            "subprocess.Popen": process,
            "os.system": process,
            "os.exec": process,
            "os.posix_spawn": process,
            "os.spawn": ("process", lambda args: _program(args[1:])),
            "os.startfile": process,
            "os.fork": ("process", lambda args: "fork"),
            "os.forkpty": ("process", lambda args: "fork"),
            "pty.spawn": process,
            "os.kill": ("process", self._kill),
            "os.killpg": ("process", lambda args: "signal %s to group %s" % (args[1], args[0])),
            "signal.pthread_kill": None,
            "open": ("write", self._open),
            "os.mkdir": ("write", self._mkdir),
            "os.truncate": ("write", self._target),
            "os.chmod": ("write", self._target),
            "os.chown": ("write", self._target),
            "os.utime": ("write", self._target),
            "os.setxattr": ("write", self._target),
            "os.link": ("write", self._second),
            "os.symlink": ("write", self._second),
            "os.rename": ("write", self._rename),
            "sqlite3.connect": ("write", self._database),
            "os.remove": ("remove", self._target),
            "os.rmdir": ("remove", self._target),
            "shutil.rmtree": ("remove", self._target),
        }
        self._events = {name: rule for name, rule in self._events.items() if rule}
        sys.addaudithook(self._hook)

    def begin(self, allow, user, path: str) -> None:
        """``user`` knows the user's source files; ``path`` is the reward file, whose line goes into the reason."""
        self.held = None
        self._allow = frozenset(allow)
        self._known = user.known
        self._file = path
        self._active = True

    def end(self):
        self._active = False
        return self.held

    # -- the hook ------------------------------------------------------------------------------------------------

    def _hook(self, event, args):
        if not self._active:
            return
        rule = self._events.get(event)
        if rule is None:
            return
        effect, look = rule
        if effect in self._allow and event != "os.rename":
            return
        # What we ask the system for below must not come back here.
        self._active = False
        try:
            target = look(args)
            if event == "os.rename" and isinstance(target, tuple):
                effect, target = target
            stop = target is not None and effect not in self._allow and not self._installed_code_loads()
        except Exception:
            stop, target = True, ""
        finally:
            self._active = True
        if not stop:
            return
        target = cut(target, TARGET)
        if self.held is None:
            self.held = {"code": "side-effect", "effect": effect, "target": target}
            line = self._line()
            if line:
                self.held["line"] = line
        raise Held("%s: %s (not allowed while live)" % (effect, target))

    def _installed_code_loads(self) -> bool:
        """Whether this happens because an installed module is being imported, not because user code asked for it."""
        frame = _getframe(2)
        while frame is not None:
            name = frame.f_code.co_filename
            if name in self._known:
                return False
            if name in _BOOTSTRAP:
                return True
            if frame.f_code.co_name == "_fallback_socketpair":  # asyncio's own wake-up pair on Windows
                return True
            frame = frame.f_back
        return False

    def _line(self):
        frame = _getframe(2)
        while frame is not None:
            if frame.f_code.co_filename == self._file:
                return frame.f_lineno
            frame = frame.f_back
        return None

    # -- what is touched: None where it does no harm ------------------------------------------------------------

    def _outside(self, value):
        path = _path(value)
        if path is None or _normcase(path) in _NOWHERE:
            return None
        for name in (path, _realpath(path)):
            if (_normcase(name) + _SEP).startswith(self._folders):
                return None
        return path

    def _open(self, args):
        path, mode, flags = (tuple(args) + (None, None, None))[:3]
        if isinstance(mode, str):
            writes = any(letter in mode for letter in "wax+")
        else:
            writes = isinstance(flags, int) and flags & _WRITES
        return self._outside(path) if writes else None

    def _target(self, args):
        path = self._outside(args[0])
        # What isn't there can't be changed: Python's own error follows.
        return path if path is not None and _lexists(path) else None

    def _mkdir(self, args):
        path = self._outside(args[0])
        return None if path is None or _isdir(path) else path

    def _second(self, args):
        return self._outside(args[1])

    def _database(self, args):
        name = _text(args[0])
        if name in ("", ":memory:") or "mode=memory" in name or "mode=ro" in name:
            return None
        return self._outside(name[5:].partition("?")[0] if name.startswith("file:") else name)

    def _rename(self, args):
        source, goal = self._outside(args[0]), self._outside(args[1])
        if source is not None and _lexists(source):
            return "remove", source
        return None if goal is None else ("write", goal)

    def _kill(self, args):
        return None if args[0] == _getpid() else "signal %s to process %s" % (args[1], args[0])
