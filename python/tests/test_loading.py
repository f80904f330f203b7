"""How the user's modules are loaded: unsaved text first, never an old version, errors with their place."""

import os
import textwrap
import time
import unittest

from support import LINUX, WorkerTest, both_modes


def scoring(value, head=""):
    return (
        head + "def reward(completions, **kwargs):\n    return [float(%s) for text in completions]\n" % value
    )


class Loading(WorkerTest):
    def put(self, worker, name, text):
        path = os.path.join(worker.project, *name.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def start_worker(self, mode="fork"):
        worker = self.worker(mode if LINUX else "spare")
        worker.samples(["a"])
        return worker

    def value(self, worker, text, **more):
        result = worker.run(text, ["reward"], [[0]], **more)
        self.assertIsNotNone(result.loaded, result.frames)
        return result.unit["values"][0]

    @both_modes
    def test_unsaved_text_wins_over_the_disk(self, mode):
        worker = self.start_worker(mode)
        self.put(worker, "reward.py", scoring(1))
        self.assertEqual(self.value(worker, scoring(2)), 2.0)

    @unittest.skipUnless(LINUX, "one worker for several jobs")
    def test_the_disk_is_read_where_nothing_is_unsaved(self):
        worker = self.start_worker()
        self.put(worker, "reward.py", "# café\n" + scoring(1))
        result = worker.run(None, ["reward"], [[0]])
        self.assertEqual(result.unit["values"], [1.0])
        self.assertEqual(result.loaded["files"], [worker.path])
        self.assertEqual(result.loaded["functions"][0]["line"], 2)
        self.assertFalse(os.path.exists(os.path.join(worker.project, "__pycache__")))

    @unittest.skipUnless(LINUX, "one worker for several jobs")
    def test_an_edit_of_the_same_size_in_the_same_second_counts(self):
        worker = self.start_worker()
        text = scoring("helper.N", "import helper\n")
        path = self.put(worker, "helper.py", "N = 1\n")
        # A bytecode file that Python itself would take for current.
        import py_compile

        py_compile.compile(path, doraise=True)
        stat = os.stat(path)
        for number in (2, 3, 4):
            self.put(worker, "helper.py", "N = %d\n" % number)
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
            self.assertEqual(self.value(worker, text), float(number))

    @unittest.skipUnless(LINUX, "one worker for several jobs")
    def test_unsaved_helpers_in_packages_and_beside(self):
        worker = self.start_worker()
        self.put(worker, "pkg/__init__.py", "")
        self.put(worker, "pkg/deep.py", "N = 1\n")
        text = scoring("deep.N + other.N", "from pkg import deep\nimport other\n")
        overlays = {
            os.path.join(worker.project, "pkg", "deep.py"): "from . import sister\nN = sister.N\n",
            os.path.join(worker.project, "pkg", "sister.py"): "N = 10\n",
            os.path.join(worker.project, "other.py"): "N = 5\n",
        }
        result = worker.run(text, ["reward"], [[0]], overlays=overlays)
        self.assertEqual(result.unit["values"], [15.0])
        names = [os.path.relpath(path, worker.project) for path in result.loaded["files"]]
        self.assertEqual(names, ["reward.py", "pkg/__init__.py", "pkg/deep.py", "pkg/sister.py", "other.py"])

    @unittest.skipUnless(LINUX, "one worker for several jobs")
    def test_a_package_that_exists_as_unsaved_text_only(self):
        worker = self.start_worker()
        for head in ("import new.part\n", "from new import part\nimport new\n"):
            overlays = {os.path.join(worker.project, "new", "part.py"): "N = 3\n"}
            self.assertEqual(self.value(worker, scoring("new.part.N", head), overlays=overlays), 3.0)
            overlays[os.path.join(worker.project, "new", "__init__.py")] = "M = 4\n"
            self.assertEqual(self.value(worker, scoring("new.part.N + new.M", head), overlays=overlays), 7.0)

    @unittest.skipUnless(LINUX, "one worker for several jobs")
    def test_a_module_inside_a_package_knows_its_sisters(self):
        worker = self.start_worker()
        self.put(worker, "pkg/__init__.py", "")
        self.put(worker, "pkg/sister.py", "N = 6\n")
        path = self.put(worker, "pkg/reward.py", scoring(1))
        text = scoring("N", "from .sister import N\n")
        more = {"path": path, "module": "pkg.reward", "overlays": {path: text}}
        self.assertEqual(self.value(worker, None, **more), 6.0)

    @unittest.skipUnless(LINUX, "one worker for several jobs")
    def test_a_linked_folder_is_the_same_folder(self):
        worker = self.start_worker()
        self.put(worker, "reward.py", scoring(1))
        link = os.path.join(worker.folder, "link")
        os.symlink(worker.project, link)
        self.put(worker, "helper.py", "N = 1\n")
        overlays = {os.path.join(worker.project, "helper.py"): "N = 9\n"}
        text = scoring("helper.N", "import helper\n")
        self.assertEqual(self.value(worker, text, roots=[link], overlays=overlays), 9.0)

    @unittest.skipUnless(LINUX, "one worker for several jobs")
    def test_the_standard_library_is_not_shadowed_by_names_of_ours(self):
        worker = self.start_worker()
        for name in ("wire", "runner", "trace", "guard", "call", "output"):
            self.put(worker, name + ".py", "N = 2\n")
        head = "import wire, runner, trace, guard, call, output\n"
        self.assertEqual(self.value(worker, scoring("wire.N * trace.N", head)), 4.0)

    @both_modes
    def test_a_syntax_error_has_its_place(self, mode):
        worker = self.start_worker(mode)
        result = worker.run("x = 1\ndef reward(:\n    pass\n", ["reward"], [[0]])
        self.assertEqual(result.end["reason"], "load-failed")
        failed = result.failed
        self.assertEqual((failed["kind"], failed["path"], failed["line"]), ("syntax", worker.path, 2))
        self.assertGreaterEqual(failed["column"], 11)
        self.assertIn("syntax", failed["message"])
        self.assertIn("def reward(:", failed["traceback"])

    @unittest.skipUnless(LINUX, "one worker for several jobs")
    def test_each_failure_to_load_is_told_apart(self):
        worker = self.start_worker()
        self.put(worker, "helper.py", "def broken(:\n")
        self.put(worker, "half.py", "x = 1\n1 / 0\n")
        cases = [
            ("import numpy_that_is_not_there.sub\n", "import", 1, "numpy_that_is_not_there"),
            ("x = 1\nfrom json import nothing_like_that\n", "import", 2, None),
            ("import helper\n", "syntax", 1, None),
            ("import half\n", "exception", 2, None),
            ("\n\nraise SystemExit(2)\n", "exception", 3, None),
            ("x = '\0'\n", "syntax", None, None),
            ("x = '\ud83d'\n", "syntax", None, None),
            ("def f(): return f()\nf()\n", "exception", 1, None),
        ]
        for text, kind, line, module in cases:
            with self.subTest(text=text):
                result = worker.run(text, ["reward"], [[0]])
                failed = result.failed
                self.assertEqual((failed["kind"], failed["module"]), (kind, module), failed)
                if line is not None:
                    self.assertEqual(failed["line"], line)
                self.assertEqual(result.end["reason"], "load-failed")
        self.assertTrue(worker.run("import helper\n", ["reward"], [[0]]).failed["path"].endswith("helper.py"))
        missing = worker.run(None, ["reward"], [[0]]).failed
        self.assertEqual((missing["kind"], missing["path"]), ("missing-file", worker.path))

    @unittest.skipUnless(LINUX, "the parent's limits")
    def test_a_module_that_leaves_or_hangs(self):
        worker = self.start_worker()
        left = worker.run("import os\nprint('bye')\nos._exit(0)\n", ["reward"], [[0]]).end
        self.assertEqual((left["reason"], left["exitCode"], left["output"]), ("exit", 0, "bye\n"))
        hung = worker.run("x = 1\nwhile True: pass\n", ["reward"], [[0]], limits={"loadSeconds": 0.4}).end
        self.assertEqual(
            (hung["reason"], hung["hangLine"], hung["hangText"]), ("load-timeout", 2, "while True: pass")
        )

    @unittest.skipUnless(LINUX, "one worker for several jobs")
    def test_what_a_module_prints_is_kept(self):
        worker = self.start_worker()
        result = worker.run("print('hello')\n" + scoring(1), ["reward"], [[0]])
        self.assertEqual(result.loaded["output"], "hello\n")
        self.assertNotIn("output", result.unit)
        self.assertEqual(worker.run("print('hi')\n1/0\n", ["reward"], [[0]]).failed["output"], "hi\n")

    @unittest.skipUnless(LINUX, "one worker for several jobs")
    def test_functions_of_every_kind(self):
        worker = self.start_worker()
        text = textwrap.dedent(
            """
            import functools
            def note(f):
                @functools.wraps(f)
                def inner(*args, **kwargs):
                    return f(*args, **kwargs)
                return inner

            @note
            @note
            def decorated(completions, **kwargs):
                return [1.0]

            def base(scale, completions, **kwargs):
                return [scale]

            part = functools.partial(base, 2.0)
            short = lambda completions, **kwargs: [3.0]

            class Thing:
                def __call__(self, completions, **kwargs):
                    return [4.0]

            thing = Thing()
            number = 5
            """
        )
        names = ["decorated", "part", "short", "thing", "number", "missing"]
        result = worker.run(text, names, [[0]])
        described = result.loaded["functions"]
        self.assertEqual(
            [unit["values"] for unit in result.units], [[1.0], [2.0], [3.0], [4.0], [None], [None]]
        )
        self.assertEqual([f["line"] for f in described], [11, 14, 18, None, None, None])
        self.assertEqual([f["callable"] for f in described], [True] * 4 + [False] * 2)
        self.assertEqual([f["found"] for f in described], [True] * 5 + [False])
        self.assertEqual(result.units[5]["failed"]["code"], "module")

    @unittest.skipUnless(LINUX, "one worker for several jobs")
    def test_each_pass_starts_fresh(self):
        worker = self.start_worker()
        text = "calls = []\n" + scoring("len(calls) or calls.append(1) or 0")
        for _ in range(2):
            self.assertEqual(self.value(worker, text), 0.0)

    @both_modes
    def test_a_lookup_that_raises_is_a_function_not_found(self, mode):
        worker = self.start_worker(mode)
        text = scoring(1, "def __getattr__(name):\n    raise SystemExit(3)\n")
        result = worker.run(text, ["missing", "reward"], [[0]])
        self.assertEqual([f["found"] for f in result.loaded["functions"]], [False, True])
        self.assertEqual([unit["values"] for unit in result.units], [[None], [1.0]])
        self.assertEqual(result.end["reason"], "done")

    @unittest.skipUnless(LINUX, "one worker for several jobs")
    def test_a_lookup_is_guarded(self):
        worker = self.start_worker()
        text = "import os\ndef __getattr__(name):\n    os.system('touch made')\n    return print\n"
        result = worker.run(text, ["missing"], [[0]], guarded=True)
        self.assertEqual(result.loaded["functions"][0]["found"], False)
        self.assertFalse(os.path.exists(os.path.join(worker.project, "made")))

    @unittest.skipUnless(LINUX, "one worker for several jobs")
    def test_a_module_that_replaces_itself(self):
        worker = self.start_worker()
        for tail, value in (
            ("sys.modules[__name__] = None\n", 1.0),
            ("del sys.modules[__name__]\n", 1.0),
            ("class Other:\n    reward = staticmethod(lambda **kw: [2.0])\nsys.modules[__name__] = Other\n", 2.0),
        ):
            with self.subTest(tail=tail):
                self.assertEqual(self.value(worker, "import sys\n" + scoring(1) + tail), value)

    @both_modes
    def test_files_named_like_the_standard_library(self, mode):
        names = ("json", "queue", "asyncio", "logging", "inspect")
        head = "import %s\n" % ", ".join(names)
        text = head + (
            "async def reward(completions, **kwargs):\n"
            "    import signal, selectors\n"
            "    return [float(%s + signal.N)]\n" % " + ".join(name + ".N" for name in names)
        )
        # Whether the process had time to load more of the library for itself doesn't matter.
        for pause in (0, 0.6) if mode == "fork" else (0,):
            with self.subTest(pause=pause):
                worker = self.start_worker(mode)
                for name in (*names[1:], "signal"):
                    self.put(worker, name + ".py", "N = 1\n")
                unsaved = {os.path.join(worker.project, "json.py"): "N = 10\n"}
                time.sleep(pause)
                self.assertEqual(self.value(worker, text, overlays=unsaved), 15.0)

    @unittest.skipUnless(LINUX, "fork mode")
    def test_an_async_reward_that_replaced_asyncio(self):
        worker = self.start_worker()
        text = "import sys\nsys.modules['asyncio'] = object()\nasync def reward(**kwargs):\n    return [1.0]\n"
        self.assertEqual(self.value(worker, text), 1.0)

    def test_preloading_says_what_failed(self):
        worker = self.worker(preload=["json", "a_package_that_is_not_there"], packages=["pip", "not-there"])
        self.assertEqual(list(worker.ready["preloadFailed"]), ["a_package_that_is_not_there"])
        self.assertIsNotNone(worker.ready["packages"]["pip"])
        self.assertIsNone(worker.ready["packages"]["not-there"])
        self.assertEqual(worker.ready["threads"], 1)

    @unittest.skipUnless(LINUX, "fork mode")
    def test_a_parent_with_threads_says_that_it_cannot_fork(self):
        folder = os.path.join(self.worker().folder, "site-packages")
        os.makedirs(folder)
        with open(os.path.join(folder, "threaded.py"), "w", encoding="utf-8") as file:
            file.write(
                "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
            )
        worker = self.worker(preload=["threaded"], env={"PYTHONPATH": folder})
        self.assertEqual((worker.ready["threads"], worker.ready["capabilities"]["fork"]), (2, False))
        worker.samples(["a"])
        end = worker.run(scoring(1), ["reward"], [[0]]).end
        self.assertEqual((end["reason"], end["output"]), ("exit", "this process can't fork safely"))

    def test_nothing_of_ours_is_in_the_environment_of_user_code(self):
        text = "import os\n" + scoring("'REWARDSMITH_TOKEN' in os.environ")
        worker = self.start_worker()
        started = time.monotonic()
        self.assertEqual(self.value(worker, text), 0.0)
        self.assertLess(time.monotonic() - started, 10)


if __name__ == "__main__":
    unittest.main()
