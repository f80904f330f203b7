"""Sample sets in memory, in columns, as they came in parts."""

from .own import BUILTINS as __builtins__  # noqa: F401


def fresh(value):
    """A copy of a JSON value that shares nothing mutable with it."""
    kind = type(value)
    if kind is list:
        return [fresh(item) if type(item) in (list, dict) else item for item in value]
    if kind is dict:
        return {key: fresh(item) if type(item) in (list, dict) else item for key, item in value.items()}
    return value


class Column:
    """Cells of one column; ``take`` hands out cells that user code may change without harm."""

    __slots__ = ("cells", "mutable")

    def __init__(self) -> None:
        self.cells = []
        self.mutable = False

    def extend(self, cells) -> None:
        self.cells.extend(cells)
        if not self.mutable:
            self.mutable = any(type(cell) in (list, dict) for cell in cells)

    def take(self, rows) -> list:
        cells = list(map(self.cells.__getitem__, rows))
        return [fresh(cell) for cell in cells] if self.mutable else cells

    def one(self, row: int):
        return fresh(self.cells[row]) if self.mutable else self.cells[row]


class SampleSet:
    """prompt and completion_ids are None where the file has none."""

    def __init__(self) -> None:
        self.rows = 0
        self.total = 0
        self.prompt = None
        self.completion = Column()
        self.completion_ids = None
        self.columns = {}

    def add(self, part: dict) -> None:
        """Appends a part. Raises ValueError where parts are missing or don't fit."""
        if part["from"] == 0 and self.rows:
            self.__init__()
        if part["from"] != self.rows:
            raise ValueError("samples from row %d came where row %d was due" % (part["from"], self.rows))
        if self.rows == 0:
            self.prompt = None if part["prompt"] is None else Column()
            self.completion_ids = None if part["completionIds"] is None else Column()
        self.completion.extend(part["completion"])
        if self.prompt is not None:
            self.prompt.extend(part["prompt"])
        if self.completion_ids is not None:
            self.completion_ids.extend(part["completionIds"])
        for name, cells in part["columns"].items():
            column = self.columns.get(name)
            if column is None:
                column = self.columns[name] = Column()
                column.cells.extend([None] * self.rows)
            column.extend(cells)
        self.rows += part["count"]
        self.total = part["total"]
        for column in self.columns.values():
            if len(column.cells) < self.rows:
                column.cells.extend([None] * (self.rows - len(column.cells)))


class Samples:
    def __init__(self) -> None:
        self._sets = {}

    def add(self, part: dict) -> None:
        name = part["set"]
        if name not in self._sets:
            self._sets[name] = SampleSet()
        self._sets[name].add(part)

    def drop(self, name: str) -> None:
        self._sets.pop(name, None)

    def get(self, name: str):
        """None until all parts are there."""
        found = self._sets.get(name)
        return found if found is not None and found.rows >= found.total else None
