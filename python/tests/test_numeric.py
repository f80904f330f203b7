"""With numpy and torch, where this interpreter has them: preloading, random state, results as TRL takes them."""

import importlib.util
import unittest

from support import LINUX, WorkerTest

HAS = {name: importlib.util.find_spec(name) is not None for name in ("numpy", "torch")}

DRAWS = """
import numpy as np
import torch

def draws(completions, **kwargs):
    return np.random.rand(len(completions)) + torch.rand(len(completions)).numpy()

def reseeds(completions, **kwargs):
    np.random.seed(0)
    torch.manual_seed(0)
    return torch.ones(len(completions))

def quiet(completions, **kwargs):
    return [np.float32(0.5)] * len(completions)

def several(completions, **kwargs):
    np.random.rand(5000)
    return [np.int64(2), torch.tensor(1.5), torch.tensor([2.5])]

def wide(completions, **kwargs):
    return np.ones((len(completions), 2))
"""


@unittest.skipUnless(LINUX and all(HAS.values()), "needs numpy and torch")
class Numeric(WorkerTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = cls.shared_worker(preload=["numpy", "torch"], packages=["torch", "numpy"])
        cls.shared.samples(["a", "b", "c"])

    def test_preloading_leaves_one_thread(self):
        ready = self.shared.ready
        self.assertEqual(
            (ready["threads"], ready["capabilities"]["fork"], ready["preloadFailed"]), (1, True, {})
        )
        self.assertIsNotNone(ready["packages"]["torch"])

    def test_shared_generators(self):
        names = ["draws", "reseeds", "quiet", "several", "wide"]
        result = self.shared.run(DRAWS, names, [[0, 1, 2]], calls=2, limits={"loadSeconds": 120.0})
        self.assertEqual(result.end["reason"], "done", result.frames)
        draws, reseeds, quiet, several, wide = result.units
        self.assertEqual(draws["drew"], ["numpy.random", "torch"])
        self.assertNotIn("changed", draws)
        self.assertNotEqual(draws["again"], draws["values"])
        self.assertEqual(reseeds["changed"], ["numpy.random", "torch"])
        self.assertEqual(reseeds["values"], [1.0, 1.0, 1.0])
        self.assertNotIn("drew", quiet)
        self.assertEqual(several["values"], [2.0, 1.5, 2.5])
        self.assertNotIn("changed", several)
        self.assertEqual(set(wide["states"]), {"invalid-return"})
        again = self.shared.run(DRAWS, ["draws"], [[0, 1, 2]])
        self.assertEqual(again.unit["values"], draws["values"])
        self.assertIn("numpy", again.loaded["thirdParty"])
        self.assertEqual(again.loaded["versions"]["torch"], self.shared.ready["packages"]["torch"])

    def test_user_code_may_use_threads_of_its_own(self):
        text = "import torch\ndef reward(completions, **kwargs):\n    torch.set_num_threads(2)\n    x = torch.rand(600, 600) @ torch.rand(600, 600)\n    return [float(x.numel())] * len(completions)\n"
        self.assertEqual(self.shared.run(text, ["reward"], [[0]]).unit["values"], [360000.0])

    def test_importing_them_is_not_a_side_effect(self):
        fresh = self.worker()
        fresh.samples(["a", "b", "c"])
        result = fresh.run(DRAWS, ["quiet"], [[0, 1, 2]], guarded=True, limits={"loadSeconds": 120.0})
        self.assertIsNone(result.failed, result.failed)
        self.assertEqual(result.unit["values"], [0.5] * 3)


if __name__ == "__main__":
    unittest.main()
