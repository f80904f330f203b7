/** The training loop: openpipe-art 0.5.23, `LocalBackend.train` and `Model.log`. */
export const ART_LOOP = String.raw`
import asyncio
import threading

import art
from art.rewards import ruler_score_group

import rewards

STOP = {"asked": False}
PATIENCE_S = 4


def make_backend():
    if BACKEND == "serverless":
        from art.serverless.backend import ServerlessBackend

        return ServerlessBackend()
    from art.local import LocalBackend

    return LocalBackend(path=str(OUT / "art"))


async def rollout(model, row):
    """One answer to one prompt, scored by the run's rewards. A reward that raises loses this rollout, not the run."""
    messages = chat(row["prompt"])
    columns = {name: value for name, value in row.items() if name != "prompt"}
    answer = await model.openai_client().chat.completions.create(
        model=model.get_inference_name(), messages=messages, **SAMPLING
    )
    choice = answer.choices[0]
    total, parts = await rewards.score(row["prompt"], choice.message.content or "", columns)
    return art.Trajectory(
        messages_and_choices=[*messages, choice],
        reward=total,
        metrics={name: value for name, value in parts.items() if value is not None},
    )


async def judge(group):
    """RULER: a model compares the answers of a group; the rewards' own score stays as independent_reward."""
    return await ruler_score_group(group, RULER, swallow_exceptions=True)


async def gather(model, rows, size, judged):
    return await art.gather_trajectory_groups(
        (art.TrajectoryGroup(rollout(model, row) for _ in range(size)) for row in rows),
        after_each=judge if judged else None,
        max_exceptions=0.5,
    )


def bring_checkpoint(model_folder):
    if CHECKPOINT is not None:
        import shutil

        source = Path(CHECKPOINT)
        if not source.is_dir():
            sys.exit(f"The checkpoint {source} isn't there.")
        shutil.copytree(source, model_folder / "checkpoints" / source.name, dirs_exist_ok=True)


def on_interrupt(signum, frame):
    if STOP["asked"]:
        raise KeyboardInterrupt
    STOP["asked"] = True
    print("Stopping after this step (Ctrl+C again: at once).", flush=True)
    # ART has kept the step before, so a long step need not be waited for.
    timer = threading.Timer(PATIENCE_S, os.kill, (os.getpid(), signal.SIGINT))
    timer.daemon = True
    timer.start()


async def main():
    train, held_out = prompt_rows()
    bring_checkpoint(OUT / "art" / "rewardsmith" / "models" / "run")
    model = art.TrainableModel(
        name="run", run_name="run", project="rewardsmith", base_model=MODEL, base_path=str(OUT / "art"), **MODEL_OPTIONS
    )
    backend = make_backend()
    await model.register(backend)
    for step in range(await model.get_step(), STEPS):
        if STOP["asked"]:
            print("Stopped.", flush=True)
            return 130
        rows = [train[(step * PROMPTS_PER_STEP + i) % len(train)] for i in range(PROMPTS_PER_STEP)]
        groups = await gather(model, rows, GROUP_SIZE, RULER is not None)
        result = await backend.train(model, groups, **TRAIN)
        await model.log(groups, split="train", metrics=result.metrics, step=result.step)
        if EVALUATE_EVERY and held_out and (step + 1) % EVALUATE_EVERY == 0:
            await model.log(await gather(model, held_out, 1, False), split="val")
    print("Finished.", flush=True)
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGINT, on_interrupt)
    try:
        code = asyncio.run(main())
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)
`;
