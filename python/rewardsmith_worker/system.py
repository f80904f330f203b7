"""prctl: who takes in orphans, who is told of a parent's death. Linux only, best effort."""

from .own import BUILTINS as __builtins__  # noqa: F401

import os
import signal
import sys

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_prctl = None

if sys.platform == "linux":
    try:
        import ctypes

        _prctl = ctypes.CDLL(None, use_errno=True).prctl
    except (ImportError, OSError, AttributeError):
        _prctl = None


def become_subreaper() -> bool:
    """Orphans of our tree become our children instead of init's."""
    return _prctl is not None and _prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def die_with_parent(parent: int, number: int = signal.SIGTERM) -> bool:
    """Sends this process a signal when its parent goes. ``parent`` is its id, in case it has gone already."""
    if _prctl is None or _prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0) != 0:
        return False
    if os.getppid() != parent:
        os.kill(os.getpid(), number)
    return True
