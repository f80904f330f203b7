/**
 * The fixed parts of `job/train.py`, behind the constants that a run fills in. Plain Python, one purpose a part; the
 * Unsloth recipe and its notebook use the same ones.
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

export const DATA_PART = String.raw`
TABLES = {".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet"}
# Names that GRPOTrainer itself passes to a reward, or sets in a row.
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


def load_prompts():
    from datasets import Dataset, load_dataset

    files = [PROJECT / Path(name).expanduser() for name in DATA]
    if len(DATA) == 1 and not files[0].exists() and files[0].suffix.lower() not in TABLES:
        print(f"Prompts: data set {DATA[0]}", flush=True)
        rows = list(load_dataset(DATA[0], split="train"))
    else:
        rows = []
        for file in files:
            if not file.is_file():
                sys.exit(f"The file of prompts {file} isn't there. Say where it is in the setting 'dataset'.")
            rows += read_rows(file)
    kept, seen = [], set()
    for row in rows:
        prompt = prompt_of(row)
        if prompt is None:
            continue
        one = {"prompt": prompt, **columns_of(row)}
        # Samples are many completions of one prompt: each prompt is trained on once.
        mark = json.dumps(prompt if NEEDS is None else one, sort_keys=True, default=str)
        if mark not in seen:
            seen.add(mark)
            kept.append(one)
    if not kept:
        sys.exit(f"No row of {', '.join(DATA)} has a 'prompt'. Name its column in 'columns' of rewardsmith.json.")
    held = max(1, len(kept) // 10) if HOLD_OUT and len(kept) > 1 else 0
    print(f"Prompts: {len(kept) - held} to train on, {held} held out, of {len(rows)} rows.", flush=True)
    train = Dataset.from_list(kept[: len(kept) - held])
    return train, Dataset.from_list(kept[len(kept) - held :]) if held else None
`;

/** Metrics under the trainer's own names, a JSON object a line. */
export const METRICS_PART = String.raw`
def number(value):
    """JSON has no NaN and no infinity."""
    value = float(value)
    if math.isfinite(value):
        return value
    return {"nonFinite": "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"}


class Watch(TrainerCallback):
    """Writes out/metrics.jsonl, and ends the run after the step in which a stop was asked for."""

    def on_log(self, args, state, control, logs=None, **kwargs):
        if not state.is_world_process_zero or not logs:
            return
        values = {k: number(v) for k, v in logs.items() if isinstance(v, (int, float)) and k != "step"}
        row = {"step": state.global_step, "at": int(time.time() * 1000), "values": values}
        with open(OUT / "metrics.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def on_step_end(self, args, state, control, **kwargs):
        if STOP["asked"]:
            control.should_save = True
            control.should_training_stop = True
`;

export const STOP_PART = String.raw`
STOP = {"asked": False, "over": False}
PATIENCE_S = 4


def on_interrupt(signum, frame):
    """The first Ctrl+C waits for the step's end and a checkpoint, but not long; the second doesn't wait."""
    if STOP["asked"]:
        raise KeyboardInterrupt
    STOP["asked"] = True
    print("Stopping after this step, with a checkpoint (Ctrl+C again: at once).", flush=True)

    def again():
        if not STOP["over"]:
            if os.name == "posix":
                os.kill(os.getpid(), signal.SIGINT)
            else:
                _thread.interrupt_main()

    timer = threading.Timer(PATIENCE_S, again)
    timer.daemon = True
    timer.start()


def last_checkpoint():
    found = [p for p in OUT.glob("checkpoint-*") if (p / "trainer_state.json").is_file()]
    return max(found, key=lambda p: int(p.name.split("-")[1]), default=None)


def run(trainer, checkpoint):
    """0: it went to its end; 130: it was stopped."""
    signal.signal(signal.SIGINT, on_interrupt)
    try:
        trainer.train(resume_from_checkpoint=checkpoint)
    except KeyboardInterrupt:
        STOP["asked"] = True
    finally:
        STOP["over"] = True
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    if STOP["asked"]:
        kept = last_checkpoint()
        print(f"Stopped. Last checkpoint: {kept or 'none'}", flush=True)
        return 130
    trainer.save_model(str(OUT / "final"))
    trainer.save_state()
    print(f"Finished. The model is in {OUT / 'final'}", flush=True)
    return 0
`;

/** What depends on the machine and is therefore decided when the run starts, and said. */
export const DEVICE_PART = String.raw`
def for_this_machine():
    if torch.cuda.is_available():
        half = "bf16" if torch.cuda.is_bf16_supported() else "fp16"
        chosen = {"bf16": half == "bf16", "fp16": half == "fp16"}
        print(f"Device: {torch.cuda.get_device_name(0)}, {half}.", flush=True)
    elif torch.backends.mps.is_available() and not CONFIG.get("use_cpu"):
        chosen = {"bf16": False, "dataloader_pin_memory": False}
        print("Device: Apple GPU, 32-bit floats.", flush=True)
    else:
        chosen = {"use_cpu": True, "bf16": False, "dataloader_pin_memory": False}
        print("Device: the CPU, 32-bit floats. There is no GPU that PyTorch can use, so this is slow.", flush=True)
    if CONFIG.get("bf16") or CONFIG.get("fp16"):
        chosen.pop("bf16", None)
        chosen.pop("fp16", None)
    return {key: value for key, value in chosen.items() if key not in CONFIG}
`;

export const RESUME_OPTION = String.raw`
    asked = argparse.ArgumentParser(description="Trains as this run was set up.")
    asked.add_argument("--resume", metavar="CHECKPOINT", default=CHECKPOINT, help="go on from this checkpoint")
    options = asked.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    print(f"TRL {trl.__version__}, transformers {transformers.__version__}, torch {torch.__version__}", flush=True)
`.slice(1);

export const TRL_MAIN = String.raw`
def main():
${RESUME_OPTION}    rewards = load_rewards()
    train, held_out = load_prompts()
    config = GRPOConfig(**{**CONFIG, **for_this_machine(), "output_dir": str(OUT)})
    lora = None
    if LORA is not None:
        try:
            from peft import LoraConfig
        except ImportError:
            sys.exit("LoRA needs the package peft in the training environment: pip install peft")
        lora = LoraConfig(task_type="CAUSAL_LM", target_modules="all-linear", **LORA)
    trainer = GRPOTrainer(
        model=MODEL,
        reward_funcs=rewards,
        args=config,
        train_dataset=train,
        eval_dataset=held_out,
        peft_config=lora,
        callbacks=[Watch()],
    )
    return run(trainer, options.resume)


if __name__ == "__main__":
    sys.exit(main())
`;
