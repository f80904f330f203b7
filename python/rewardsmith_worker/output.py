"""What user code prints: capped, and cut into units by marks in the stream."""

from .own import BUILTINS as __builtins__  # noqa: F401


class Output:
    """Takes the bytes of an output pipe. ``cut`` gives what came before a mark.

    A mark is ``NUL token space number NUL``, written by our own code behind everything a unit printed.
    Memory is bounded: beyond ``cap`` bytes a unit's output is counted and dropped.
    """

    def __init__(self, token: bytes, cap: int) -> None:
        self._prefix = b"\x00" + token + b" "
        self._cap = cap
        self._tail = b""
        self._kept = bytearray()
        self._seen = 0
        self._cuts = {}

    @staticmethod
    def mark(token: bytes, number: int) -> bytes:
        return b"\x00%s %d\x00" % (token, number)

    def feed(self, data: bytes) -> None:
        if self._tail:
            data = self._tail + data
            self._tail = b""
        start = 0
        while True:
            at = data.find(self._prefix, start)
            if at < 0:
                break
            end = data.find(b"\x00", at + len(self._prefix))
            if end < 0:
                if len(data) - at < len(self._prefix) + 24:
                    self._add(data, start, at)
                    self._tail = data[at:]
                    return
                break
            number = data[at + len(self._prefix) : end]
            self._add(data, start, at)
            start = end + 1
            if number.isdigit():
                self._cuts[int(number)] = (bytes(self._kept), self._seen)
                self._kept.clear()
                self._seen = 0
        # The beginning of a mark may stand at the end of what came so far.
        at = data.rfind(b"\x00", max(start, len(data) - len(self._prefix) + 1))
        if at >= 0 and self._prefix.startswith(data[at:]):
            self._add(data, start, at)
            self._tail = data[at:]
        else:
            self._add(data, start, len(data))

    def _add(self, data: bytes, start: int, end: int) -> None:
        room = self._cap - len(self._kept)
        if room > 0:
            self._kept += data[start : min(end, start + room)]
        self._seen += end - start

    def has(self, number: int) -> bool:
        return number in self._cuts

    def cut(self, number: int):
        """(text, bytes in all) printed before mark ``number``; what is there so far where the mark got lost."""
        if number in self._cuts:
            kept, seen = self._cuts.pop(number)
        else:
            kept, seen = self._rest()
        for old in [n for n in self._cuts if n < number]:
            del self._cuts[old]
        return kept.decode("utf-8", "replace"), seen

    def _rest(self):
        kept, seen = bytes(self._kept), self._seen
        self._kept.clear()
        self._seen = 0
        return kept, seen

    def rest(self) -> str:
        """What came after the last mark: the output of a unit that didn't finish."""
        tail, self._tail = self._tail, b""
        self._add(tail, 0, len(tail))
        return self._rest()[0].decode("utf-8", "replace")
