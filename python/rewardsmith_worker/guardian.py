"""Ends a worker's processes when the engine is gone. Started as ``python -I -S guardian.py MARKER``.

The engine writes ``watch PID START``, ``forget PID`` and, before it ends in good order, ``done``. When standard input
closes without ``done`` the engine was killed: the process groups of the watched processes are ended (Windows: their
trees), and every process whose environment holds ``REWARDSMITH_WORKER=MARKER...``.
A process is identified by number and start time where the system tells it (Linux).
"""

import os
import signal
import sys
import time


def start_of(pid):
    """Start time in clock ticks since boot, None where the process is gone, "" where this can't be known."""
    if not os.path.exists("/proc/self/stat"):
        return ""
    try:
        with open("/proc/%d/stat" % pid, "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return None if fields[0] in (b"Z", b"X") else fields[19].decode()
    except (OSError, IndexError):
        return None


def marked(marker):
    """Processes that descend from a worker of this engine, whatever their group."""
    wanted = ("REWARDSMITH_WORKER=" + marker).encode()
    if os.path.exists("/proc/self/environ"):
        for name in os.listdir("/proc"):
            if not name.isdigit() or int(name) == os.getpid():
                continue
            try:
                with open("/proc/%s/environ" % name, "rb") as file:
                    entries = file.read().split(b"\0")
            except OSError:
                continue
            if any(entry == wanted or entry.startswith(wanted + b".") for entry in entries):
                if start_of(int(name)) is not None:
                    yield int(name)
    else:
        import subprocess

        table = subprocess.run(["ps", "-axww", "-E", "-o", "pid=,command="], stdout=subprocess.PIPE).stdout
        for line in table.splitlines():
            if (b" " + wanted + b".") in line or (b" " + wanted + b" ") in line + b" ":
                pid = int(line.split(None, 1)[0])
                if pid != os.getpid():
                    yield pid


def end_all(watched, marker):
    if os.name == "nt":
        import subprocess

        for pid in watched:
            subprocess.run(["taskkill", "/PID", str(pid), "/T", "/F"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return
    for pid, start in watched.items():
        # A number that now stands for another process is left alone; the group of one that is gone may still hold others.
        if start_of(pid) in (None, "", start):
            kill(os.killpg, pid)
    for attempt in range(50):
        left = list(marked(marker))
        if not left:
            return
        for pid in left:
            kill(os.kill, pid)
        time.sleep(0.01 * (attempt + 1))


def kill(send, pid):
    try:
        send(pid, signal.SIGKILL)
    except OSError:
        pass


def main(marker):
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            # A terminal that closes or a polite stop of everything isn't the end of the engine: its pipe says that.
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    watched = {}
    for line in sys.stdin.buffer:
        words = line.decode("ascii", "replace").rstrip("\n").split(" ", 2)
        if words[0] == "watch":
            watched[int(words[1])] = words[2]
        elif words[0] == "forget":
            watched.pop(int(words[1]), None)
        elif words[0] == "done":
            return
    end_all(watched, marker)


if __name__ == "__main__":
    main(sys.argv[1])
