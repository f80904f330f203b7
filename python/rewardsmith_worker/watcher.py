"""spare mode on POSIX: a small process that ends what a job left behind as soon as the worker or the engine is gone.

It is forked before anything else is loaded, so forking is safe there, and waits in ``poll`` only.
"""

from .own import BUILTINS as __builtins__  # noqa: F401

import os
import select
import signal
import time

from . import tree

# Time that a worker has to end by itself once the engine is gone.
_GRACE = 0.2


def start(requests: int, worker: str) -> None:
    """``requests``: the worker's input; it hangs up when the engine has gone. Call while there is one thread."""
    ours, theirs = os.pipe()
    watched = os.getpid()
    middle = os.fork()
    if middle:
        os.close(ours)
        os.set_inheritable(theirs, False)
        # A child of ours would turn up in os.wait() of user code: it is nobody's child.
        os.waitpid(middle, 0)
        return
    try:
        if os.fork():
            os._exit(0)
        os.close(theirs)
        os.setsid()
        _close_others({ours, requests})
        _wait(ours, requests, watched)
        _end(watched, worker)
    finally:
        os._exit(0)


def _close_others(kept: set) -> None:
    """The worker's pipes must end with the worker."""
    for fd in range(3, max(kept) + 1):
        if fd not in kept:
            try:
                os.close(fd)
            except OSError:
                continue
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)


def _wait(alive: int, requests: int, watched: int) -> None:
    poll = select.poll()
    poll.register(alive, 0)
    poll.register(requests, 0)
    while True:
        for fd, event in poll.poll():
            if fd == alive:
                return
            if event:
                time.sleep(_GRACE)
                return


def _end(watched: int, worker: str) -> None:
    # The worker leads its group where it was started so; never end a group that isn't its own.
    for _ in range(50):
        left = [pid for pid in tree.marked("REWARDSMITH_WORKER", worker) if pid != os.getpid()] if worker else []
        try:
            if os.getpgid(watched) == watched or not left:
                os.killpg(watched, signal.SIGKILL)
        except OSError:
            pass
        for pid in left:
            tree.kill(pid)
        if not left:
            return
        time.sleep(0.02)
