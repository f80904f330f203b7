"""Runs python/tests with unittest and writes one JSON line for each test (scripts/lib/count.mjs reads them).

Usage: python scripts/python_tests.py REPORT
"""

import json
import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Rows(unittest.TextTestResult):
    """Writes each test's result at once, so that a run that dies leaves what it had."""

    report = None

    def _row(self, test, state, text=""):
        self.report.write(json.dumps({"name": str(test), "state": state, "text": text[-3000:]}) + "\n")
        self.report.flush()

    def addSuccess(self, test):
        super().addSuccess(test)
        self._row(test, "passed")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._row(test, "failed", self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        self._row(test, "failed", self.errors[-1][1])

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._row(test, "skipped", reason)

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self._row(test, "passed")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._row(test, "failed", "passed though it was expected to fail")

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._row(subtest, "failed", self._exc_info_to_string(err, test))


def main():
    sys.dont_write_bytecode = True
    sys.path.insert(0, os.path.join(ROOT, "python"))
    suite = unittest.TestLoader().discover(os.path.join(ROOT, "python", "tests"))
    with open(sys.argv[1], "w", encoding="utf-8") as report:
        Rows.report = report
        result = unittest.TextTestRunner(resultclass=Rows, verbosity=0).run(suite)
        report.write('{"end": true}\n')
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
