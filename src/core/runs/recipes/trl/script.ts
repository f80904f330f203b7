/**
 * The fixed parts of `job/train.py`, behind the constants that a run fills in. Plain Python, one purpose a part; the
 * Unsloth recipe and its notebook use the same ones.
 */

export const DATA_PART = String.raw`
def load_prompts():
    from datasets import Dataset

    train, held = prompt_rows()
    try:
        return Dataset.from_list(train), Dataset.from_list(held) if held else None
    except (ValueError, TypeError, OverflowError) as error:  # Arrow's own errors are of these kinds
        sys.exit(
            f"The prompts' columns can't become one table: {error}. Each column needs values of one kind; "
            "leave out those that the reward doesn't use, or write numbers as text."
        )
`;

/** Metrics under the trainer's own names, a JSON object a line. */
export const METRICS_PART = String.raw`
def number(value):
    """JSON has no NaN and no infinity; None is a number that couldn't be measured."""
    if value is None:
        return None
    value = float(value)
    if math.isfinite(value):
        return value
    return {"nonFinite": "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"}


class Watch(TrainerCallback):
    """Writes out/metrics.jsonl, and ends the run after the step in which a stop was asked for."""

    def on_log(self, args, state, control, logs=None, **kwargs):
        if not state.is_world_process_zero or not logs:
            return
        values = {k: number(v) for k, v in logs.items() if (v is None or isinstance(v, (int, float))) and k != "step"}
        row = {"step": state.global_step, "at": int(time.time() * 1000), "values": values}
        with open(OUT / "metrics.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def on_step_end(self, args, state, control, **kwargs):
        if STOP["asked"]:
            STOP["ending"] = True
            control.should_evaluate = False
            control.should_save = True
            control.should_training_stop = True
`;

export const STOP_PART = String.raw`
# ending: the step is done and its checkpoint is being written; nothing may cut that short.
STOP = {"asked": False, "ending": False, "over": False}
PATIENCE_S = 4


def on_interrupt(signum, frame):
    """The first Ctrl+C waits for the step's end and a checkpoint, but not long; the second doesn't wait."""
    if STOP["ending"]:
        return
    if STOP["asked"]:
        raise KeyboardInterrupt
    STOP["asked"] = True
    print("Stopping after this step, with a checkpoint (Ctrl+C again: at once).", flush=True)

    def again():
        if not STOP["ending"] and not STOP["over"]:
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
