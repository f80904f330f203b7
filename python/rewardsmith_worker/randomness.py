"""Equal random state before each unit, and whether user code reseeded the shared generators (``random.seed`` …)."""

from .own import BUILTINS as __builtins__  # noqa: F401

import _random
import importlib
import random
import sys

# The generator in C: random.Random's own methods are Python code, which replaced builtins would break.
_Twister = _random.Random
_shared = random._inst
_MASK = 0xFFFFFFFF
# Blocks of 624 words that a unit may draw (some 190,000 words, looked through in about 10 ms). Beyond that it counts
# as having set the generator anew. Once a function is known to do so, few blocks are looked through.
_BLOCKS, _FEW = 300, 4


def _words(seed: int, turn: int) -> int:
    """A seed of 128 bits that user code won't choose by chance, so that its own reseeding is always visible."""
    return (seed * 2 + turn) * 0x9E3779B97F4A7C15F39CC0605CEDC835 % (1 << 128) | 1 << 127


def _only_drew(before: tuple, after: tuple, blocks: int) -> bool:
    """Whether a Mersenne Twister's key ``after`` comes from ``before`` by drawing (each 624 words make a new key)."""
    if after == before:
        return True
    walker = _Twister()
    walker.setstate((*before, 624))
    for _ in range(blocks):
        walker.getrandbits(32 * 624)
        if walker.getstate()[:-1] == after:
            return True
    return False


def numpy_random():
    """``numpy.random`` where numpy is loaded, else None. numpy itself loads it when it is first used, from then on
    with a state of its own making: so it is loaded here first."""
    if "numpy" not in sys.modules:
        return None
    module = sys.modules.get("numpy.random")
    if module is None:
        try:
            module = importlib.import_module("numpy.random")
        except Exception:
            return None
    return module if hasattr(module, "mtrand") else None


class Randomness:
    """``seed(turn)`` before a call, then ``changed()`` and ``drew()`` after it. Turn 1 is another state for a second call."""

    def __init__(self, seed: int) -> None:
        self._seeds = (_words(seed, 0), _words(seed, 1))
        self._keys = {}
        self._first = {}
        self._turn = 0
        self._known = set()
        self._seeded = set()

    def forget(self) -> None:
        """Before the next function: what one did is not said of another."""
        self._known.clear()

    def seed(self, turn: int = 0) -> None:
        self._turn = turn
        words = self._seeds[turn]
        _Twister.seed(_shared, words)
        _shared.gauss_next = None
        self._seeded = {"random"}
        numpy = numpy_random()
        if numpy is not None:
            self._seeded.add("numpy.random")
            try:
                numpy.mtrand._rand.seed(words & _MASK)
            except Exception:
                pass  # User code put another kind of generator there; ``after`` says so.
        torch = sys.modules.get("torch")
        if torch is not None and hasattr(torch, "default_generator"):
            self._seeded.add("torch")
            torch.default_generator.manual_seed(words & (2**63 - 1))

    def after(self):
        """(generators that user code set anew, generators it drew from), names as users know them."""
        changed, drew = [], []
        words = self._seeds[self._turn]
        for name, look in (("random", self._python), ("numpy.random", self._numpy), ("torch", self._torch)):
            if name not in self._seeded:
                continue  # Loaded during the call.
            try:
                was_set, was_drawn = look(words)
            except Exception:
                continue
            if was_set:
                self._known.add(name)
                changed.append(name)
            if was_drawn:
                drew.append(name)
        return changed, drew

    def _reference(self, name: str, make):
        key = (name, self._turn)
        if key not in self._keys:
            self._keys[key] = make()
        return self._keys[key]

    def _blocks(self, name: str) -> int:
        return _FEW if name in self._known else _BLOCKS

    def _python(self, words: int):
        def make():
            fresh = _Twister()
            fresh.seed(words)
            return fresh.getstate()[:-1], fresh.getrandbits(64)

        key, first = self._reference("random", make)
        # One draw tells an untouched generator (all but one time in 2^64), and costs next to nothing.
        if _Twister.getrandbits(_shared, 64) == first:
            return False, False
        return not _only_drew(key, _Twister.getstate(_shared)[:-1], self._blocks("random")), True

    def _numpy(self, words: int):
        numpy = sys.modules["numpy.random"]
        generator = numpy.mtrand._rand

        def make():
            fresh = numpy.RandomState()
            fresh.seed(words & _MASK)
            return tuple(fresh.get_state()[1].tolist()), fresh.bytes(8)

        key, first = self._reference("numpy.random", make)
        if generator.bytes(8) == first:
            return False, False
        state = generator.get_state()
        if state[0] != "MT19937":
            return True, True
        return not _only_drew(key, tuple(state[1].tolist()), self._blocks("numpy.random")), True

    def _torch(self, words: int):
        torch = sys.modules["torch"]
        generator = torch.default_generator
        if generator.initial_seed() != words & (2**63 - 1):
            return True, True

        def make():
            fresh = torch.Generator()
            fresh.manual_seed(words & (2**63 - 1))
            return fresh.get_state()

        return False, not torch.equal(generator.get_state(), self._reference("torch", make))
