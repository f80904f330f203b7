import asyncio
import decimal
import enum
import fractions
import math
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from rewardsmith_worker.values import read_list, read_number  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None
try:
    import torch
except ImportError:
    torch = None


class One(enum.IntEnum):
    A = 1


class HasFloat:
    def __float__(self):
        return 1.5


class HasIndex:
    def __index__(self):
        return 3


class ListOfOwn(list):
    pass


def states(rows, count):
    return rows.states or ["scored"] * count


class ListTest(unittest.TestCase):
    def test_numbers_of_every_kind(self):
        given = [
            1,
            True,
            2.5,
            fractions.Fraction(1, 4),
            decimal.Decimal("0.5"),
            One.A,
            HasFloat(),
            HasIndex(),
            10**30,
        ]
        rows = read_list(given, len(given))
        self.assertEqual(rows.values, [1.0, 1.0, 2.5, 0.25, 0.5, 1.0, 1.5, 3.0, 1e30])
        self.assertEqual(set(states(rows, len(given))), {"scored"})

    def test_one_bad_item_spoils_the_batch_for_the_trainer_and_no_other_row_here(self):
        for bad in (
            "1",
            b"1",
            [1.0],
            (1.0,),
            {},
            1j,
            ListOfOwn([2.0]),
            object(),
            10**400,
            range(1),
            bytearray(b"1"),
        ):
            rows = read_list([1.0, bad, 2.0], 3)
            self.assertEqual(rows.values, [1.0, None, 2.0], bad)
            self.assertEqual(rows.states, ["scored", "invalid-return", "scored"])
            self.assertEqual(rows.reasons["1"]["code"], "wrong-type")
            self.assertTrue(rows.spoiled)

    def test_none_and_the_numbers_that_are_not_finite(self):
        rows = read_list([None, math.nan, math.inf, -math.inf, 1e39, 3.4e38], 6)
        self.assertEqual(
            rows.values,
            [
                None,
                {"nonFinite": "nan"},
                {"nonFinite": "inf"},
                {"nonFinite": "-inf"},
                {"nonFinite": "inf"},
                3.4e38,
            ],
        )
        self.assertEqual(rows.states, ["not-applicable"] + ["non-finite"] * 4 + ["scored"])
        self.assertEqual([rows.reasons[str(n)]["code"] for n in range(5)], ["none", "nan"] + ["infinite"] * 3)
        self.assertFalse(rows.spoiled)

    def test_wholes_that_are_no_list_of_rewards(self):
        async def coroutine():
            return [1.0]

        for whole, code in (
            (1.0, "not-a-list"),
            (None, "not-a-list"),
            ("ab", "not-a-list"),
            ({0: 1.0, 1: 2.0}, "not-a-list"),
            (coroutine(), "coroutine"),
            ([1.0], "wrong-count"),
            ((1.0, 2.0, 3.0), "wrong-count"),
            (iter([]), "wrong-count"),
        ):
            rows = read_list(whole, 2)
            self.assertEqual(rows.failed["code"], code)
            self.assertEqual((rows.values, rows.states), ([None, None], ["invalid-return"] * 2))

    def test_counts_are_said(self):
        failed = read_list([1.0], 4).failed
        self.assertEqual((failed["expected"], failed["got"]), (4, 1))

    def test_iterables_are_read_once(self):
        reads = []

        def numbers():
            reads.append(1)
            yield from (1, 2.5)

        self.assertEqual(read_list(numbers(), 2).values, [1.0, 2.5])
        self.assertEqual(reads, [1])
        self.assertEqual(read_list(range(3), 3).values, [0.0, 1.0, 2.0])

    def test_a_number_that_raises_is_that_rows_result(self):
        class Bad:
            def __float__(self):
                raise SystemExit(1)

            def __repr__(self):
                raise KeyboardInterrupt

        rows = read_list([1.0, Bad()], 2)
        self.assertEqual(rows.states, ["scored", "invalid-return"])
        self.assertIn("SystemExit", rows.reasons["1"]["text"])

    @unittest.skipIf(torch is None, "needs torch")
    def test_takes_what_torch_takes(self):
        """Each list is given to torch.tensor as TRL does, and must end the same way here."""
        several = [torch.tensor([1.0, 2.0])]
        cases = [
            [numpy.float32(1.5), numpy.int64(2), numpy.bool_(True), numpy.float16(0.5)],
            [2.0, numpy.array(1.5)],
            [numpy.array(1.5), 2.0],
            [2.0, numpy.array([1.5])],
            [numpy.array([1.5]), 2.0],
            [numpy.array([1.5]), numpy.array([1.5])],
            [torch.tensor(1.5), torch.tensor([2.5]), torch.tensor([[3.5]]), torch.tensor(True)],
            [1.0, torch.tensor(1j)],
            [1.0, *several],
            [numpy.str_("1"), 1.0],
            [1.0, numpy.datetime64("2020-01-01")],
            [fractions.Fraction(1, 2), decimal.Decimal("1.5"), HasFloat(), HasIndex(), One.A],
            [1.0, "1"],
            [1.0, [1.0]],
            [[1.0], [2.0]],
            [1.0, {}],
            [1.0, b"1"],
            [1.0, 1j],
            [1.0, 10**400],
            [1e39, -1e39, 1e38, 3.4028235677973366e38, 3.4028235677973362e38],
            [decimal.Decimal("NaN"), float("inf")],
            [None, 1.0],
        ]
        for given in cases:
            goal = torch.zeros(len(given), 1)
            try:
                goal[:, 0] = torch.tensor(
                    [v if v is not None else torch.nan for v in given], dtype=torch.float32
                )
                wanted = goal[:, 0].tolist()
            except (TypeError, ValueError, RuntimeError, OverflowError):
                wanted = None
            rows = read_list(given, len(given))
            with self.subTest(given=repr(given)):
                if wanted is None:
                    self.assertTrue(rows.spoiled)
                    continue
                self.assertFalse(rows.spoiled or rows.failed)
                for mine, theirs in zip(rows.values, wanted):
                    if isinstance(mine, dict):
                        self.assertEqual(mine["nonFinite"], str(theirs))
                    elif mine is None:
                        self.assertTrue(math.isnan(theirs))
                    else:
                        self.assertEqual(torch.tensor(mine, dtype=torch.float32).item(), theirs)

    @unittest.skipIf(torch is None, "needs torch")
    def test_arrays_and_tensors_as_the_whole(self):
        for whole in (numpy.array([1.0, 2.0]), torch.tensor([1.0, 2.0]), torch.tensor([[1.0], [2.0]])):
            self.assertEqual(read_list(whole, 2).values, [1.0, 2.0])
        self.assertEqual(read_list(numpy.array(1.0), 1).failed["code"], "not-a-list")
        self.assertEqual(read_list(torch.tensor(1.0), 1).failed["code"], "not-a-list")


class NumberTest(unittest.TestCase):
    def test_one_number_or_none(self):
        self.assertEqual(read_number(1).values, [1.0])
        self.assertEqual(read_number(None).states, ["not-applicable"])
        self.assertEqual(read_number([1.0]).reasons["0"]["code"], "wrong-type")
        self.assertEqual(read_number(math.nan).states, ["non-finite"])
        # A plain number never goes through float32.
        self.assertEqual(read_number(1e39).values, [1e39])

    def test_a_coroutine_is_named(self):
        self.assertEqual(read_number(asyncio.sleep(0)).reasons["0"]["code"], "coroutine")


if __name__ == "__main__":
    unittest.main()
