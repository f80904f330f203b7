/** Starts a program of the NeMo RL checkout with the run's configuration, in this process. */
export const NEMO_START = String.raw`

def checkout():
    """The folder of the NeMo RL checkout: the variable NEMO_RL, else where the package itself lies."""
    folder = os.environ.get("NEMO_RL")
    if folder is None:
        import importlib.util

        found = importlib.util.find_spec("nemo_rl")
        folder = Path(found.origin).parent.parent if found and found.origin else ""
    if not (Path(folder) / EXAMPLE).is_file():
        sys.exit(f"{EXAMPLE} isn't in the NeMo RL checkout '{folder}'. Set the variable NEMO_RL to its folder.")
    return Path(folder).resolve()


def start(folder):
    import runpy

    os.environ.update(REWARDSMITH_RUN=str(RUN), REWARDSMITH_MODEL=MODEL, NEMO_RL=str(folder))
    # Ray's workers import the environment from here.
    os.environ["PYTHONPATH"] = os.pathsep.join([str(RUN / "job"), str(folder), os.environ.get("PYTHONPATH", "")])
    sys.path[:0] = [str(RUN / "job"), str(folder)]
    os.chdir(folder)
    sys.argv = [str(folder / EXAMPLE), "--config", str(RUN / "job" / "grpo.yaml")]
    runpy.run_path(sys.argv[0], run_name="__main__")


def bring_checkpoint():
    """NeMo RL goes on from the newest checkpoint in its folder, so the one to go on from is copied there."""
    if CHECKPOINT is not None:
        import shutil

        source = Path(CHECKPOINT)
        if not source.is_dir():
            sys.exit(f"The checkpoint {source} isn't there.")
        shutil.copytree(source, OUT / "checkpoints" / source.name, dirs_exist_ok=True)
`;

export const NEMO_MAIN = String.raw`

def main():
    folder = checkout()
    train, held_out = prompt_rows()
    for name, rows in (("train", train), ("held-out", held_out)):
        write_lines(RUN / "data" / f"{name}.jsonl", [{"input": "", "output": sample_of(row)} for row in rows])
    bring_checkpoint()
    sys.path[:0] = [str(RUN / "job"), str(folder)]
    import rewardsmith_env

    rewardsmith_env.register()
    start(folder)


if __name__ == "__main__":
    main()
`;

export const GYM_MAIN = String.raw`

def main():
    bring_checkpoint()
    start(checkout())


if __name__ == "__main__":
    main()
`;

/** The environment that scores with the run's rewards: nemo_rl 0.6, `EnvironmentInterface`. */
export const NEMO_ENVIRONMENT = `"""The rewards of this run as an environment of NeMo RL: one turn, then the score."""

import asyncio
import json

import ray
import torch
from nemo_rl.data.processors import register_processor
from nemo_rl.distributed.ray_actor_environment_registry import ACTOR_ENVIRONMENT_REGISTRY
from nemo_rl.distributed.virtual_cluster import PY_EXECUTABLES
from nemo_rl.environments.interfaces import EnvironmentInterface, EnvironmentReturn
from nemo_rl.environments.utils import register_env

import rewards

NAME = "rewardsmith"


@ray.remote
class RewardsmithEnv(EnvironmentInterface):
    def __init__(self, cfg):
        self.cfg = cfg

    def step(self, message_log_batch, metadata):
        totals = asyncio.run(self.score_all(message_log_batch, metadata))
        n = len(totals)
        return EnvironmentReturn(
            observations=[{"role": "environment", "content": ""} for _ in range(n)],
            metadata=metadata,
            next_stop_strings=[None] * n,
            rewards=torch.tensor(totals, dtype=torch.float32),
            terminateds=torch.ones(n),
            answers=[None] * n,
        )

    async def score_all(self, message_log_batch, metadata):
        totals = []
        for log, sample in zip(message_log_batch, metadata):
            text = "".join(m["content"] for m in log if m["role"] == "assistant")
            total, _ = await rewards.score(sample["prompt"], text, sample["columns"])
            totals.append(total)
        return totals

    def global_post_process_and_metrics(self, batch):
        return batch, {}


def process(datum, spec, tokenizer, max_seq_length, idx):
    """A row of ../data as the trainer wants it: the prompt through the chat template, the sample beside it."""
    sample = json.loads(datum["messages"][1]["content"])
    prompt = sample["prompt"]
    messages = prompt if isinstance(prompt, list) else [{"role": "user", "content": prompt}]
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, add_special_tokens=False)
    ids = tokenizer(text, return_tensors="pt", add_special_tokens=False)["input_ids"][0]
    too_long = len(ids) >= max_seq_length
    return {
        "message_log": [{"role": "user", "content": text, "token_ids": ids[:4] if too_long else ids}],
        "length": 4 if too_long else len(ids),
        "extra_env_info": sample,
        # A prompt that doesn't fit is masked out, as the shipped processors do it.
        "loss_multiplier": 0.0 if too_long else 1.0,
        "idx": idx,
        "task_name": datum["task_name"],
    }


def register():
    ACTOR_ENVIRONMENT_REGISTRY["rewardsmith_env.RewardsmithEnv"] = PY_EXECUTABLES.SYSTEM
    register_env(NAME, "rewardsmith_env.RewardsmithEnv")
    register_processor(NAME, process)
`;
