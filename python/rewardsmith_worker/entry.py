"""Takes over the descriptors, reads ``init`` and goes into the mode it names."""

from .own import BUILTINS as __builtins__  # noqa: F401

import os
import sys

from . import wire


def main() -> None:
    token = os.environ.pop("REWARDSMITH_TOKEN", "")
    worker = os.environ.get("REWARDSMITH_WORKER", "")
    requests = wire.out_of_reach(os.dup(0))
    writer = wire.Writer(wire.out_of_reach(os.dup(1)), token)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    lines = wire.Lines()
    while True:
        data = wire.read_some(requests)
        if data == b"":
            os._exit(0)
        waiting = list(writer.requests(lines.feed(data or b"")))
        if waiting:
            break
    init = waiting.pop(0)
    if init.get("t") != "init" or init.get("protocol") != 1:
        writer.log("error", "the first request must be init with protocol 1, not %r" % (init.get("t"),))
        sys.exit(3)
    if init["mode"] == "fork" and hasattr(os, "fork"):
        from .parent import Parent

        Parent(requests, writer, worker, init, lines).serve(waiting)
    else:
        from . import spare

        spare.serve(requests, writer, init, lines, waiting)
