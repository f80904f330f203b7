/**
 * Parts of the scripts that more than one recipe writes: where things are, the reward's snapshot, the prompts. Plain
 * Python 3.10, standard library, behind the constants of `constants.ts`.
 */

/** Where the run's folder is, and how a script prints. */
export const SCRIPT_PLACE = String.raw`
RUN = Path(__file__).resolve().parent.parent
for stream in (sys.stdout, sys.stderr):
    stream.reconfigure(line_buffering=True, errors="backslashreplace")
`;

/** Where things are below it, and what has to be said before anything of Hugging Face is imported. */
export const PLACES = String.raw`
PROJECT = (RUN / PROJECT_FOLDER).resolve()
OUT = RUN / "out"
MODEL_FOLDER = (PROJECT / Path(MODEL).expanduser()).resolve()

sys.dont_write_bytecode = True  # the snapshot of the reward stays as it was taken
if MODEL_FOLDER.is_dir():
    MODEL = str(MODEL_FOLDER)
    os.environ.setdefault("HF_HUB_OFFLINE", "1")  # a model of this machine: nothing is fetched
`;

export const REWARDS_PART = String.raw`
def load_rewards():
    """The reward functions, imported as Python would import the file from its own folder."""
    file = RUN / "reward" / REWARD_FILE
    if not file.is_file():
        sys.exit(f"The reward file {file} isn't there. Launch the run again, so that a new copy is made.")
    root, names = file.parent, [file.stem]
    while root != RUN / "reward" and (root / "__init__.py").is_file():
        names.insert(0, root.name)
        root = root.parent
    sys.path.insert(0, str(root))
    spec = importlib.util.spec_from_file_location(".".join(names), file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return [getattr(module, name) for name in REWARDS]
`;

export const ROWS_PART = String.raw`
TABLES = {".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet"}
# Names that a trainer itself passes to a reward, or sets in a row.
TAKEN = {"prompt", "prompts", "completion", "completions", "completion_ids",
         "trainer_state", "log_extra", "log_metric", "environments"}


def read_rows(path):
    kind = path.suffix.lower()
    if kind == ".parquet":
        import pyarrow.parquet

        return pyarrow.parquet.read_table(path).to_pylist()
    text = path.read_text(encoding="utf-8-sig")
    if kind in (".csv", ".tsv"):
        lines = io.StringIO(text, newline="")
        return list(csv.DictReader(lines, delimiter="\t" if kind == ".tsv" else ","))
    if kind == ".json":
        rows = json.loads(text)
        return rows if isinstance(rows, list) else [rows]
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def prompt_of(row):
    """The prompt of a sample: its own column, or the messages before the last answer."""
    prompt = row.get(COLUMNS.get("prompt", "prompt"))
    messages = row.get("messages")
    if prompt is None and isinstance(messages, list):
        last = max((i for i, m in enumerate(messages) if m.get("role") == "assistant"), default=len(messages))
        prompt = messages[:last] or None
    return prompt


def columns_of(row):
    """What goes along with a prompt, under the names that the reward asks for."""
    given = {name: name for name in row} if NEEDS is None else {name: name for name in NEEDS}
    given.update({name: column for name, column in COLUMNS.items() if name not in ("completion", "id", "label")})
    return {name: row.get(column) for name, column in given.items() if name not in TAKEN}


def prompt_rows():
    """Prompts to train on and prompts held out, each a dict with the columns that the reward asks for."""
    files = [PROJECT / Path(name).expanduser() for name in DATA]
    if len(DATA) == 1 and not files[0].exists() and files[0].suffix.lower() not in TABLES:
        from datasets import load_dataset

        print(f"Prompts: data set {DATA[0]}", flush=True)
        rows = list(load_dataset(DATA[0], split="train"))
    else:
        rows = []
        for file in files:
            if not file.is_file():
                sys.exit(f"The file of prompts {file} isn't there. Say where it is in the setting 'dataset'.")
            rows += read_rows(file)
    there = {column for row in rows for column in row}
    absent = [name for name in NEEDS or [] if COLUMNS.get(name, name) not in there and name not in TAKEN]
    if absent:
        # Not filled in: a parameter with a default keeps it, and one without says that it is missing.
        print(f"No row has a column for {', '.join(absent)}: the reward is called without.", flush=True)
    kept, seen = [], set()
    for row in rows:
        prompt = prompt_of(row)
        if prompt is None:
            continue
        columns = {name: value for name, value in columns_of(row).items() if name not in absent}
        one = {"prompt": prompt, **columns}
        # Samples are many completions of one prompt: each prompt is trained on once.
        mark = json.dumps(prompt if NEEDS is None else one, sort_keys=True, default=str)
        if mark not in seen:
            seen.add(mark)
            kept.append(one)
    if not kept:
        sys.exit(f"No row of {', '.join(DATA)} has a 'prompt'. Name its column in 'columns' of rewardsmith.json.")
    held = max(1, len(kept) // 10) if HOLD_OUT and len(kept) > 1 else 0
    print(f"Prompts: {len(kept) - held} to train on, {held} held out, of {len(rows)} rows.", flush=True)
    return kept[: len(kept) - held], kept[len(kept) - held :]
`;
