"""Process trees as ``/proc`` shows them: who is there, how much memory, and their end.

A process is identified by number and start time; nothing is ever ended by name.
"""

from .own import BUILTINS as __builtins__  # noqa: F401

import os
import signal
import time

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_HAS_CHILDREN = os.path.exists("/proc/self/task/%d/children" % os.getpid())


def _stat(pid: int):
    """(state, parent, group, start time) or None."""
    try:
        with open("/proc/%d/stat" % pid, "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return fields[0], int(fields[1]), int(fields[2]), int(fields[19])
    except (OSError, IndexError, ValueError):
        return None


def children(pid: int) -> list:
    """Direct children, zombies included."""
    if not _HAS_CHILDREN:
        return [other for other in _all() if (_stat(other) or (0, 0))[1] == pid]
    found = []
    try:
        tasks = os.listdir("/proc/%d/task" % pid)
    except OSError:
        return found
    for task in tasks:
        try:
            with open("/proc/%d/task/%s/children" % (pid, task), "rb") as file:
                found += map(int, file.read().split())
        except OSError:
            continue
    return found


def _all() -> list:
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def descendants(pid: int) -> list:
    found, ahead, seen = [], [pid], {pid}
    while ahead:
        for child in children(ahead.pop()):
            if child not in seen:
                seen.add(child)
                found.append(child)
                ahead.append(child)
    return found


def marked(name: str, value: str) -> list:
    """Processes whose first environment holds ``name=value``."""
    wanted = ("%s=%s" % (name, value)).encode()
    found = []
    for pid in _all():
        try:
            with open("/proc/%d/environ" % pid, "rb") as file:
                if wanted in file.read().split(b"\0"):
                    found.append(pid)
        except OSError:
            continue
    return found


def resident(pids: list) -> int:
    """Resident bytes; pages shared between them count each time."""
    total = 0
    for pid in pids:
        try:
            with open("/proc/%d/statm" % pid, "rb") as file:
                total += int(file.read().split()[1]) * _PAGE
        except (OSError, IndexError, ValueError):
            continue
    return total


def proportional(pids: list) -> int:
    """Resident bytes with shared pages divided among those who share them; resident ones where that isn't known."""
    total = 0
    for pid in pids:
        try:
            with open("/proc/%d/smaps_rollup" % pid, "rb") as file:
                for line in file:
                    if line.startswith(b"Pss:"):
                        total += int(line.split()[1]) * 1024
                        break
        except (OSError, IndexError, ValueError):
            total += resident([pid])
    return total


def _send(pid: int, start: int) -> None:
    """Ends a process if it is still the one that started then."""
    try:
        if hasattr(os, "pidfd_open"):
            handle = os.pidfd_open(pid)
            try:
                now = _stat(pid)
                if now is not None and now[3] == start:
                    signal.pidfd_send_signal(handle, signal.SIGKILL)
            finally:
                os.close(handle)
        else:
            os.kill(pid, signal.SIGKILL)
    except OSError:
        pass


class Ended:
    """How a job's child ended: wait status, peak resident KiB, further processes that were ended."""

    def __init__(self) -> None:
        self.status = None
        self.peak = None
        self.killed = 0


def end(child: int, spare: set, worker: str, job: str, subreaper: bool, patience: float = 5.0) -> Ended:
    """Ends a job's child with everything it started, and reaps. ``spare``: children of ours that aren't the job's."""
    ended = Ended()
    us = os.getpid()
    alive = set()

    def note(pids):
        for pid in pids:
            stat = _stat(pid)
            if stat is not None and stat[0] not in (b"Z", b"X") and pid != child:
                alive.add((pid, stat[3]))

    note(pid for pid in descendants(us) if pid not in spare)
    for send in (os.killpg, os.kill):
        try:
            send(child, signal.SIGKILL)
        except OSError:
            pass
    until = time.monotonic() + patience
    pause = 0.0005
    while True:
        # Orphans turn up as our children once their parent has been reaped; the lists in /proc may miss some while
        # processes end, so it goes round until nothing is left.
        _reap(child, ended)
        left = [pid for pid in descendants(us) if pid not in spare and pid != child]
        if not subreaper and ended.status is not None:
            # Orphans went to init: the marks that their programs started with tell them.
            ours = set(marked("REWARDSMITH_WORKER", worker)) if worker else set()
            left += [pid for pid in marked("REWARDSMITH_JOB", job) if pid in ours or not worker]
        note(left)
        for pid in left:
            stat = _stat(pid)
            if stat is not None and stat[0] not in (b"Z", b"X"):
                _send(pid, stat[3])
        for pid, start in list(alive):
            stat = _stat(pid)
            if stat is not None and stat[3] == start and stat[0] not in (b"Z", b"X"):
                _send(pid, start)
                left.append(pid)
        if (ended.status is not None and not left) or time.monotonic() > until:
            break
        time.sleep(pause)
        pause = min(pause * 2, 0.02)
    ended.killed = len(alive)
    return ended


def _reap(child: int, ended: Ended) -> None:
    while True:
        try:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            if ended.status is None:
                ended.status = 0
            return
        if pid == 0:
            return
        if pid == child:
            ended.status = status
            ended.peak = usage.ru_maxrss


def wait_handle(pid: int):
    """A descriptor that becomes readable when the process has ended, or None."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def has_ended(pid: int) -> bool:
    stat = _stat(pid)
    return stat is None or stat[0] in (b"Z", b"X")
