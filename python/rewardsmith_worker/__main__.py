"""Starts the worker. The folder of this file is taken off ``sys.path``: our modules must not shadow the user's."""

import os
import sys

sys.dont_write_bytecode = True


def start() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != here]
    outer = os.path.dirname(here)
    sys.path.insert(0, outer)
    try:
        from rewardsmith_worker.entry import main
    finally:
        sys.path.remove(outer)
    main()


if __name__ == "__main__":
    if sys.version_info < (3, 9):  # noqa: UP036  an old interpreter must get a sentence, not a syntax error
        sys.stderr.write("Rewardsmith needs Python 3.9 or newer; this is %d.%d.\n" % sys.version_info[:2])
        sys.exit(3)
    start()
