"""While live: side effects end the unit as held, whatever user code does with the exception."""

import os
import textwrap
import unittest

from support import LINUX, WorkerTest

HEAD = "def reward(completions, **kwargs):\n"


def reward(body):
    return (
        HEAD
        + textwrap.indent(textwrap.dedent(body).strip(), "    ")
        + "\n    return [1.0] * len(completions)\n"
    )


@unittest.skipUnless(LINUX, "POSIX calls")
class Guarding(WorkerTest):
    def setUp(self):
        self.shared = self.worker()
        self.shared.samples(["a", "b"])
        self.victim = os.path.join(self.shared.project, "victim")
        with open(self.victim, "w", encoding="utf-8") as file:
            file.write("precious")

    def one(self, body, allow=(), guarded=True):
        text = "import os\nVICTIM = %r\n" % self.victim + reward(body)
        result = self.shared.run(text, ["reward"], [[0, 1]], guarded=guarded, allow=allow)
        self.assertEqual(result.end["reason"], "done", result.frames)
        return result.unit

    def held(self, body, effect, target=None):
        unit = self.one(body)
        self.assertEqual(unit.get("states"), ["held", "held"], (body, unit))
        self.assertEqual(unit["values"], [None, None])
        self.assertEqual((unit["failed"]["code"], unit["failed"]["effect"]), ("side-effect", effect), body)
        if target is not None:
            self.assertIn(target, unit["failed"]["target"])
        with open(self.victim, encoding="utf-8") as file:
            self.assertEqual(file.read(), "precious")
        return unit["failed"]

    def free(self, body, **more):
        unit = self.one(body, **more)
        self.assertEqual(unit["values"], [1.0, 1.0], (body, unit))

    def test_connecting(self):
        self.held("import socket; socket.create_connection(('127.0.0.1', 9))", "connect", "127.0.0.1:9")
        self.held("import socket; socket.getaddrinfo('example.test', 80)", "connect", "example.test:80")
        self.held(
            "import urllib.request; urllib.request.urlopen('http://example.test/')", "connect", "example.test"
        )
        self.held(
            "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'', ('127.0.0.1', 9))",
            "connect",
        )
        self.held(
            "import socket; socket.socket(socket.AF_UNIX).connect('/run/nothing')", "connect", "/run/nothing"
        )
        self.held(
            """
            import asyncio
            async def call(): await asyncio.open_connection('127.0.0.1', 9)
            asyncio.run(call())
            """,
            "connect",
        )

    def test_processes(self):
        self.held("os.system('true')", "process", "true")
        self.held("import subprocess; subprocess.run(['true', 'x'])", "process", "true x")
        self.held("import subprocess; subprocess.run('true', shell=True)", "process")
        self.held("os.fork()", "process")
        self.held("os.execv('/bin/true', ['true'])", "process")
        self.held("os.posix_spawn('/bin/true', ['true'], {})", "process")
        self.held("os.kill(os.getppid(), 9)", "process")
        self.held("os.killpg(0, 9)", "process")
        self.held(
            "import multiprocessing\nmultiprocessing.get_context('fork').Process(target=print).start()",
            "process",
        )

    def test_writing(self):
        line = self.held("open(VICTIM, 'w')", "write", self.victim)["line"]
        self.assertEqual(line, 4)
        self.held("open(VICTIM, 'r+')", "write")
        self.held("open(VICTIM + '2', 'x')", "write")
        self.held("os.open(VICTIM, os.O_WRONLY | os.O_APPEND)", "write")
        self.held("import pathlib; pathlib.Path(VICTIM).write_text('')", "write")
        self.held("os.mkdir(VICTIM + '.d')", "write")
        self.held("os.truncate(VICTIM, 0)", "write")
        self.held("os.chmod(VICTIM, 0)", "write")
        self.held("os.symlink(VICTIM, VICTIM + '.l')", "write")
        self.held("import sqlite3; sqlite3.connect(VICTIM + '.db')", "write")
        self.held("import shutil; shutil.copy(VICTIM, VICTIM + '2')", "write")

    def test_removing(self):
        self.held("os.remove(VICTIM)", "remove", self.victim)
        self.held("import pathlib; pathlib.Path(VICTIM).unlink()", "remove")
        self.held("os.rename(VICTIM, VICTIM + '2')", "remove")
        self.held("os.rmdir(os.path.dirname(VICTIM))", "remove")
        self.held("import shutil; shutil.rmtree(os.path.dirname(VICTIM))", "remove")

    def test_also_where_the_exception_is_swallowed(self):
        self.held("try:\n    os.remove(VICTIM)\nexcept BaseException:\n    pass", "remove")
        self.held(
            "import threading\nt = threading.Thread(target=os.remove, args=(VICTIM,)); t.start(); t.join()",
            "remove",
        )

    def test_harmless_things_are_let_through(self):
        for body in (
            "open(VICTIM).read()",
            "open('/dev/null', 'w').write('x')",
            "import tempfile; tempfile.NamedTemporaryFile('w').write('x')",
            "import tempfile, os\nd = tempfile.mkdtemp(); open(d + '/x', 'w').close(); os.remove(d + '/x'); os.rmdir(d)",
            "import tempfile\nwith tempfile.TemporaryDirectory() as d: open(d + '/y', 'w').close()",
            "import asyncio\nasync def f(): await asyncio.sleep(0)\nasyncio.run(f())",
            "import threading; threading.Thread(target=len, args=('',)).start()",
            "import sqlite3; sqlite3.connect(':memory:').execute('select 1')",
            "os.makedirs(os.path.dirname(VICTIM), exist_ok=True)",
            "try:\n    os.remove(VICTIM + 'x')\nexcept FileNotFoundError:\n    pass",
            "import signal; os.kill(os.getpid(), 0)",
            "print('x' * 100000)",
            "import xml.dom.minidom, decimal, unittest.mock, concurrent.futures",
            "import logging; logging.warning('x')",
        ):
            self.free(body)

    def test_importing_an_installed_module_may_do_anything(self):
        folder = os.path.join(self.shared.folder, "site-packages")
        os.makedirs(folder)
        with open(os.path.join(folder, "busy.py"), "w", encoding="utf-8") as file:
            file.write("import subprocess\nsubprocess.run(['true'])\ndef later(): subprocess.run(['true'])\n")
        head = "import sys; sys.path.append(%r)\n" % folder
        self.free(head + "import busy")
        self.held(head + "import busy; busy.later()", "process")

    def test_what_is_allowed_happens(self):
        self.free("os.mkdir(VICTIM + '.d')", allow=["write"])
        self.assertTrue(os.path.isdir(self.victim + ".d"))
        unit = self.one("os.remove(VICTIM)", allow=["write", "process", "connect"])
        self.assertEqual(unit["states"], ["held"] * 2)
        self.free(
            "os.rename(VICTIM, VICTIM + '2'); os.rename(VICTIM + '2', VICTIM)", allow=["write", "remove"]
        )
        self.free("os.remove(VICTIM)", guarded=False)
        self.assertFalse(os.path.exists(self.victim))

    def test_one_held_row_takes_no_other_with_it(self):
        text = "import os\ndef reward(completions, **kwargs):\n    if 'a' in completions: os.system('true')\n    return [1.0]\n"
        units = self.shared.run(text, ["reward"], [[0], [1]], guarded=True).units
        self.assertEqual([unit["values"] for unit in units], [[None], [1.0]])

    def test_a_module_that_acts_while_it_loads(self):
        for text in (
            "import os\nos.remove(%r)\n" % self.victim,
            "import os\ntry:\n    os.remove(%r)\nexcept BaseException: pass\n" % self.victim,
        ):
            result = self.shared.run(text + reward(""), ["reward"], [[0]], guarded=True)
            self.assertEqual(result.end["reason"], "load-failed")
            self.assertEqual(result.failed["held"]["effect"], "remove")
            self.assertEqual(result.failed["line"], result.failed["held"]["line"])
            self.assertTrue(os.path.exists(self.victim))


if __name__ == "__main__":
    unittest.main()
