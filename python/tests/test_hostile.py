"""Rewards that harm their process: each ends as its own result, the others are scored, nothing is left running."""

import os
import sys
import textwrap
import time
import unittest

from support import LINUX, WORKER, Died, WorkerTest

sys.path.insert(0, os.path.dirname(WORKER))

from rewardsmith_worker import hang  # noqa: E402

GOOD = "\ndef good(completions, **kwargs):\n    return [float(len(text)) for text in completions]\n"


def reward(body, head=""):
    body = textwrap.indent(textwrap.dedent(body).strip(), "        ")
    return (
        head
        + "def reward(completions, **kwargs):\n    if 'x' in completions[0]:\n"
        + body
        + "\n    return [1.0] * len(completions)\n"
        + GOOD
    )


@unittest.skipUnless(LINUX, "the parent's limits")
class Hostile(WorkerTest):
    LIMITS = {"unitSeconds": 0.7, "memoryMb": 300}

    def hostile(self, text, **more):
        """The frames of a bad batch between two good ones; afterwards the same worker must still score."""
        worker = self.worker()
        worker.samples(["a", "x", "b"])
        limits = dict(self.LIMITS, **more.pop("limits", {}))
        result = worker.run(text, ["reward", "good"], [[0], [1], [2]], isolated=True, limits=limits, **more)
        self.assertEqual(result.units[0]["values"], [1.0])
        self.assertEqual(worker.left(0), [])
        again = worker.run(text, ["good"], [[0, 1, 2]])
        self.assertEqual(again.unit["values"], [1.0, 1.0, 1.0])
        self.assertEqual(again.end["reason"], "done")
        self.wait_for(lambda: not any(files or folders[1:] for _, folders, files in os.walk(worker.tmp)))
        return result

    def all_scored(self, result):
        self.assertEqual(result.end["reason"], "done")
        self.assertEqual([unit["values"] for unit in result.units], [[1.0]] * 6)

    def raised(self, result, kind):
        self.assertEqual(result.end["reason"], "done")
        bad = result.units[1]
        self.assertEqual((bad["states"], bad["failed"]["type"]), (["raised"], kind))
        self.assertEqual(
            [unit["values"] for unit in result.units], [[1.0], [None], [1.0], [1.0], [1.0], [1.0]]
        )
        return bad["failed"]

    def ended(self, result, reason):
        self.assertEqual(result.frames[-2], {"t": "start", "job": 1, "fn": 0, "batch": 1})
        self.assertEqual(result.end["reason"], reason)
        return result.end

    def test_an_endless_loop(self):
        end = self.ended(self.hostile(reward("while True: pass")), "unit-timeout")
        self.assertEqual(end["hangLine"], 3)

    def test_an_endless_loop_that_catches_everything_and_ignores_signals(self):
        text = reward(
            """
            import signal
            for number in range(1, 65):
                try:
                    signal.signal(number, signal.SIG_IGN)
                except (OSError, ValueError):
                    pass
            while True:
                try:
                    while True:
                        sum(range(100))
                except BaseException:
                    pass
            """
        )
        end = self.ended(self.hostile(text), "unit-timeout")
        self.assertIn(end["hangLine"], (9, 10, 11, 12))

    def test_children_that_sleep(self):
        text = reward(
            """
            import os, time
            for _ in range(20):
                if os.fork() == 0:
                    if os.fork() == 0:
                        os.setsid()
                    time.sleep(600)
                    os._exit(0)
            """
        )
        result = self.hostile(text)
        self.all_scored(result)
        self.assertGreaterEqual(result.end["killed"], 20)

    def test_children_that_come_back_from_the_call(self):
        # The copies are first, so that what they would send could not go unseen.
        result = self.hostile(reward("import os, time\nfor _ in range(5):\n    if os.fork(): time.sleep(0.05)"))
        self.all_scored(result)

    def test_children_that_fork_without_end(self):
        text = reward(
            """
            import os, time
            os.fork()
            until = time.time() + 600
            made = 0
            while time.time() < until:
                time.sleep(0.01)
                if made < 6:
                    os.fork()
                    made += 1
            """
        )
        self.ended(self.hostile(text), "unit-timeout")

    def test_programs_in_sessions_of_their_own(self):
        text = reward(
            """
            import subprocess, sys
            code = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True)"
            subprocess.run([sys.executable, "-c", code], env={})
            """
        )
        result = self.hostile(text, limits={"unitSeconds": 5})
        self.all_scored(result)
        self.assertEqual(result.end["killed"], 1)

    def test_memory_that_fills(self):
        text = reward("kept = []\nwhile True: kept.append(bytearray(1 << 20))")
        end = self.ended(self.hostile(text, limits={"unitSeconds": 20}), "memory")
        self.assertGreater(end["peakMb"], 300)

    def test_memory_of_a_child_counts_too(self):
        text = reward(
            """
            import os, time
            if os.fork() == 0:
                kept = bytearray(b"1") * (400 << 20)
                time.sleep(600)
            time.sleep(600)
            """
        )
        self.ended(self.hostile(text, limits={"unitSeconds": 20}), "memory")

    def test_fifty_megabytes_of_print(self):
        for body in ("print('y' * 50_000_000)", "for _ in range(50): print('y' * 999_999)"):
            start = time.monotonic()
            result = self.hostile(reward(body), limits={"unitSeconds": 10})
            self.all_scored(result)
            bad = result.units[1]
            self.assertGreaterEqual(bad["outputBytes"], 50_000_000)
            self.assertEqual(bad["output"], "y" * 10_000)
            self.assertNotIn("output", result.units[2])
            self.assertLess(time.monotonic() - start, 5)

    def test_garbage_into_every_descriptor(self):
        text = reward(
            """
            import os, re
            for fd in range(1100 if 1 else 0, 2, -1):
                for piece in (b"\\n", b"{}\\n", b"x" * 5000, bytes(range(256))):
                    try:
                        os.set_blocking(fd, False)
                        os.write(fd, piece)
                    except OSError:
                        pass
                    try:
                        os.set_blocking(fd, True)
                    except OSError:
                        pass
            """
        )
        self.all_scored(self.hostile(text))

    def test_every_descriptor_closed(self):
        end = self.ended(self.hostile(reward("import os\nos.closerange(0, 5000)")), "exit")
        self.assertEqual(end["exitCode"], 113)

    def test_every_descriptor_closed_and_then_a_hang(self):
        """A pipe at its end must not keep the parent busy."""
        worker = self.worker()
        worker.samples(["x"])
        text = reward("import os, time\nos.closerange(0, 5000)\ntime.sleep(60)")
        before = self.processor_seconds(worker)
        end = worker.run(text, ["reward"], [[0]], limits={"unitSeconds": 2.0}).end
        self.assertEqual((end["reason"], end["hangLine"]), ("unit-timeout", None))
        self.assertLess(self.processor_seconds(worker) - before, 0.5)

    @staticmethod
    def processor_seconds(worker):
        with open("/proc/%d/stat" % worker.process.pid, encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def test_a_child_that_prints_on_while_the_marks_are_lost(self):
        text = reward(
            """
            import os
            if os.fork() == 0:
                while True: os.write(1, b"y" * 65536)
            os.closerange(0, 300); os.closerange(300, 5000)
            """
        )
        self.ended(self.hostile(text, limits={"unitSeconds": 5}), "exit")

    def test_low_descriptors_closed_and_taken(self):
        text = reward("import os\nos.closerange(0, 200)\nfor _ in range(60): os.open('/dev/null', os.O_RDWR)")
        self.all_scored(self.hostile(text))

    def test_exits(self):
        self.assertEqual(self.ended(self.hostile(reward("import os; os._exit(0)")), "exit")["exitCode"], 0)
        self.assertEqual(
            self.raised(self.hostile(reward("import sys; sys.exit(3)")), "SystemExit")["text"],
            "SystemExit: 3",
        )
        self.raised(self.hostile(reward("raise KeyboardInterrupt")), "KeyboardInterrupt")
        self.raised(self.hostile(reward("raise GeneratorExit")), "GeneratorExit")

    def test_its_group_is_killed(self):
        end = self.ended(self.hostile(reward("import os; os.killpg(0, 9)")), "signal")
        self.assertEqual((end["signal"], end["exitCode"]), ("SIGKILL", None))

    def test_a_crash_of_the_interpreter_names_the_line(self):
        end = self.ended(self.hostile(reward("import ctypes\nctypes.string_at(0)")), "signal")
        self.assertEqual((end["signal"], end["hangLine"]), ("SIGSEGV", 4))

    def test_its_parent_is_killed(self):
        """The parent goes; what is left must go too, and quickly."""
        worker = self.worker()
        worker.samples(["x"])
        worker.start(reward("import os, time\nos.kill(os.getppid(), 9)\ntime.sleep(600)"), ["reward"], [[0]])
        worker.process.wait(5)
        self.assertEqual(worker.left(3), [])

    def test_threads_that_never_end(self):
        text = reward(
            "import threading, time\nfor _ in range(5): threading.Thread(target=time.sleep, args=(600,)).start()"
        )
        self.all_scored(self.hostile(text))

    def test_at_exit_is_not_run(self):
        text = reward("import atexit, time\natexit.register(time.sleep, 600)")
        start = time.monotonic()
        self.all_scored(self.hostile(text))
        self.assertLess(time.monotonic() - start, 3)

    def test_replaced_builtins(self):
        text = reward(
            """
            import builtins, json, sys, os, time, traceback, linecache
            def broken(*args, **kwargs): raise RuntimeError("broken")
            is_function, inside, error = callable, vars, ValueError
            for module in (json, os, time, traceback, linecache, builtins):
                names = inside(module)
                for name in [*names]:
                    if name[0].islower() and is_function(names[name]):
                        names[name] = broken
            builtins.__import__ = builtins.ValueError = broken
            raise error("told all the same")
            """
        )
        result = self.hostile(text)
        self.assertEqual(result.units[1]["failed"]["text"], "ValueError: told all the same")
        self.assertEqual(result.units[1]["failed"]["line"], 12)
        # What comes later in the same pass meets the broken builtins: its own rows say so.
        self.assertEqual([unit["failed"]["text"] for unit in result.units[2:]], ["RuntimeError: broken"] * 4)
        self.assertEqual((len(result.units), result.end["reason"]), (6, "done"))

    def test_standard_streams_replaced_or_closed(self):
        for body in (
            "import sys\nsys.stdout = sys.stderr = None",
            "import sys\nclass Bad:\n    def __getattr__(self, name): raise SystemExit(1)\nsys.stdout = sys.stderr = Bad()",
            "import sys\nsys.stdout.close(); sys.stderr.close()",
            "import sys\ndel sys.stdout, sys.stderr",
        ):
            self.all_scored(self.hostile(reward(body)))

    def test_tracing_and_profiling(self):
        for name in ("settrace", "setprofile"):
            body = "import sys\ndef f(*args):\n    raise SystemExit(2)\nsys.%s(f)" % name
            self.hostile(reward(body))
            quiet = "import sys\ndef f(*args):\n    return None\nsys.%s(f)" % name
            self.all_scored(self.hostile(reward(quiet)))

    def test_an_alarm_that_is_never_taken_back(self):
        text = reward(
            """
            import signal, time
            def stop(*args): raise TimeoutError("alarm")
            signal.signal(signal.SIGALRM, stop)
            signal.setitimer(signal.ITIMER_REAL, 0.02)
            """
        )
        self.all_scored(self.hostile(text))

    def test_folder_environment_and_collector_changed(self):
        text = reward(
            """
            import gc, os, sys
            os.chdir("/")
            os.environ.clear()
            gc.callbacks.append(lambda *args: 1 / 0)
            gc.set_threshold(1)
            sys.path.clear(); sys.meta_path.clear(); sys.modules.clear()
            sys.setrecursionlimit(60)
            """
        )
        self.assertEqual(self.hostile(text).end["reason"], "done")

    def test_exceptions_that_cannot_be_shown(self):
        text = reward(
            """
            class Bad(Exception):
                def __str__(self): raise SystemExit(1)
                def __repr__(self): raise SystemExit(1)
            raise Bad
            """
        )
        self.assertEqual(self.raised(self.hostile(text), "reward.<locals>.Bad")["line"], 6)

    def test_recursion(self):
        failed = self.raised(self.hostile(reward("def f(): return f()\nf()")), "RecursionError")
        self.assertIn("more frames", failed["traceback"])
        self.assertEqual(failed["line"], 3)

    def test_temporary_files_are_gone_afterwards(self):
        text = reward("import tempfile\nopen(tempfile.mkdtemp() + '/f', 'w').write('1')\ntempfile.mkstemp()")
        self.all_scored(self.hostile(text))

    def test_input_is_empty(self):
        self.assertEqual(self.raised(self.hostile(reward("input()")), "EOFError")["line"], 3)


class HostileSpare(WorkerTest):
    """What a spare process has to bear by itself; its limits are the engine's."""

    def units(self, body, count=6):
        worker = self.worker("spare")
        worker.samples(["a", "x", "b"])
        result = worker.run(reward(body), ["reward", "good"], [[0], [1], [2]], isolated=True)
        self.assertEqual((result.end["reason"], len(result.units)), ("done", count), result.frames)
        worker.process.wait(5)
        self.assertEqual(os.listdir(worker.tmp), [])
        return result.units

    def test_each_unit_has_its_own_result(self):
        for body in (
            "print('y' * 50_000_000)",
            "import sys; sys.stdout = sys.stderr = None",
            "import sys; sys.stdout.close(); sys.stderr.close()",
            "import atexit, time; atexit.register(time.sleep, 600)",
            "import threading, time; threading.Thread(target=time.sleep, args=(600,)).start()",
            "import tempfile; open(tempfile.mkdtemp() + '/f', 'w').write('1')",
        ):
            units = self.units(body)
            self.assertEqual([unit["values"] for unit in units], [[1.0]] * 6, body)
            self.assertNotIn("output", units[2])

    def test_exits_that_can_be_caught(self):
        for body in ("import sys; sys.exit(3)", "raise KeyboardInterrupt", "input()"):
            self.assertEqual(
                [unit["values"] for unit in self.units(body)], [[1.0], [None], [1.0], [1.0], [1.0], [1.0]]
            )

    @unittest.skipUnless(LINUX, "descriptors as on Linux")
    def test_garbage_into_every_descriptor(self):
        body = """
            import os
            for fd in range(1100, 2, -1):
                for piece in (b"\\n", b"{}\\n", b"x" * 5000):
                    try:
                        os.write(fd, piece)
                    except OSError:
                        pass
            """
        self.assertEqual([unit["values"] for unit in self.units(body)], [[1.0]] * 6)

    def test_leaving_at_once(self):
        worker = self.worker("spare")
        worker.samples(["x"])
        worker.start(reward("import os; print('bye'); os._exit(3)"), ["reward"], [[0]])
        self.assertEqual(worker.frame()["t"], "loaded")
        with self.assertRaises(Died):
            worker.frame()
        self.assertEqual(worker.process.wait(5), 3)

    def test_a_hang_leaves_its_place_on_standard_error(self):
        worker = self.worker("spare")
        worker.samples(["x"])
        job = worker.start(reward("while True: pass"), ["reward"], [[0]], limits={"unitSeconds": 0.4})
        self.assertEqual(worker.frame()["t"], "loaded")
        self.wait_for(lambda: "Timeout (" in worker.errors())
        time.sleep(0.1)
        self.assertEqual(hang.find_line(worker.errors(), job["path"]), 3)
        worker.process.kill()


if __name__ == "__main__":
    unittest.main()
