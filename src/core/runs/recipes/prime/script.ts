/** The run's prompts and rewards as verifiers (v1) wants them; found by its id `rewardsmith-run` on the import path. */
export const TASKSET = `"""The prompts and rewards of this run as a taskset of verifiers v1."""

import json
import os
from pathlib import Path

import verifiers.v1 as vf

import rewards

__all__ = ["RewardsmithTaskset"]


class RewardsmithData(vf.TaskData):
    sample: str
    """JSON: the prompt as the reward knows it, and its columns."""


class RewardsmithTask(vf.Task[RewardsmithData]):
    # verifiers runs metrics before rewards, so the functions are called once, and each one's score is logged.
    @vf.metric
    async def parts(self, trace: vf.Trace) -> dict:
        sample = json.loads(self.data.sample)
        total, parts = await rewards.score(sample["prompt"], trace.last_reply or "", sample["columns"])
        trace.info["rewardsmith"] = {"total": total}
        return {name: value for name, value in parts.items() if value is not None}

    @vf.reward(weight=1.0)
    async def total(self, trace: vf.Trace) -> float:
        return trace.info["rewardsmith"]["total"]


class RewardsmithConfig(vf.TasksetConfig):
    split: str = "train"
    """train, or held-out."""


class RewardsmithTaskset(vf.Taskset[RewardsmithTask, RewardsmithConfig]):
    def load(self) -> list[RewardsmithTask]:
        file = Path(os.environ["REWARDSMITH_RUN"]) / "data" / f"{self.config.split}.jsonl"
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        return [
            RewardsmithTask(RewardsmithData(idx=i, prompt=row["prompt"], sample=row["sample"]))
            for i, row in enumerate(rows)
        ]
`;

export const LAUNCH = String.raw`

def renderer():
    """prime-rl knows how chats of some models are rendered; of others it wants to be told to use their own template."""
    if RENDERER:
        return []
    try:
        from renderers.base import MODEL_RENDERER_MAP
    except ImportError:
        return []
    return [] if MODEL in MODEL_RENDERER_MAP else ["--orchestrator.renderer.name", "default"]


def main():
    if OWN_TASKSET:
        train, held_out = prompt_rows()
        for name, rows in (("train", train), ("held-out", held_out or train[:1])):
            lines = [{"prompt": row["prompt"], "sample": sample_of(row)} for row in rows]
            write_lines(RUN / "data" / f"{name}.jsonl", lines)
    job = str(RUN / "job")
    os.environ["REWARDSMITH_RUN"] = str(RUN)
    # The environment's own processes import the taskset from here.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [job, os.environ.get("PYTHONPATH")]))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    program = [sys.executable, "-m", "prime_rl.entrypoints.rl", "@", str(RUN / "job" / "rl.toml")]
    program += ["--model.name", MODEL, "--output-dir", str(OUT), *renderer(), *sys.argv[1:]]
    os.execv(sys.executable, program)


if __name__ == "__main__":
    main()
`;
