"""Drives TRL's own GRPOTrainer with canned completions: no numbers here are computed by us.

usage: python trl_harness.py CASES.jsonl RESULTS.jsonl

Each line of CASES is one case with an `op`; each result carries the case's `id`. The first result line holds the
versions. Not-a-number values travel as the strings "nan", "inf", "-inf"; None stays null.

`score`   one call of the trainer's `_generate_and_score_completions` on a table of rewards
          {id, op, rewards: [[row values] per function], weights, n (group size), scale, aggregation}
`train`   one optimiser step of a new trainer, reward functions loaded from a user's file
          {id, op, file, functions, weights, n, scale, aggregation, completions, columns}
`fate`    what one function's behaviour does to a batch of eight (two groups of four), in a forked child
          {id, op, behaviour, with_other, scale, aggregation, seconds}
"""

import contextlib
import glob
import importlib.util
import io
import json
import math
import os
import signal
import sys
import tempfile
import time
import warnings

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("OMP_NUM_THREADS", "1")
warnings.simplefilter("ignore")

import pandas
import torch
import transformers
import trl
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer

torch.set_num_threads(1)
transformers.logging.set_verbosity_error()

EOT, START, END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"


def encode(value):
    """Numbers for JSON: not-a-number as words."""
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    if isinstance(value, dict):
        return {k: encode(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [encode(v) for v in value]
    return value


def decode(value):
    if isinstance(value, list):
        return [decode(v) for v in value]
    return float(value) if value in ("nan", "inf", "-inf") else value


def versions():
    return {
        "python": sys.version.split()[0],
        "trl": trl.__version__,
        "torch": torch.__version__.split("+")[0],
        "transformers": transformers.__version__,
    }


def make_model(folder):
    """A byte-level tokenizer and a random two-layer model, made here: nothing is downloaded."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(
        ["user assistant system What is 1 plus 2? The answer is 3.", "0123456789"],
        trainers.BpeTrainer(
            vocab_size=400,
            special_tokens=[EOT, START, END],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=END, pad_token=EOT)
    torch.manual_seed(0)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(fast),
            hidden_size=16,
            intermediate_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=1,
            max_position_embeddings=256,
            eos_token_id=fast.eos_token_id,
            pad_token_id=fast.pad_token_id,
        )
    )
    model.save_pretrained(folder)
    fast.save_pretrained(folder)
    return fast


class Bench:
    """Trainers over one tiny model."""

    def __init__(self, folder):
        self.folder = folder
        self.tokenizer = make_model(folder)
        self.canned = []
        self._tables = None
        self._ids = {}

    def ids(self, text):
        """Token ids of a text; remembered, because tokenizing would take most of the time."""
        if text not in self._ids:
            self._ids[text] = self.tokenizer(text)["input_ids"]
        return self._ids[text]

    def rollout(self, prompts, trainer):
        """Canned completions in the order of the batch, as a `rollout_func` of TRL's."""
        texts = self.canned or [f" {i}" for i in range(len(prompts))]
        completion_ids = [self.ids(t) + [self.tokenizer.eos_token_id] for t in texts]
        return {
            "prompt_ids": [self.ids(p) for p in prompts],
            "completion_ids": completion_ids,
            "logprobs": [[-1.0] * len(ids) for ids in completion_ids],
        }

    def trainer(self, functions, rows, output, **config):
        args = GRPOConfig(
            output_dir=output,
            max_completion_length=8,
            max_steps=1,
            logging_steps=1,
            save_strategy="no",
            log_completions=True,
            num_completions_to_print=0,
            report_to="none",
            use_cpu=True,
            bf16=False,
            disable_tqdm=True,
            seed=1,
            shuffle_dataset=False,
            dataloader_pin_memory=False,
            **config,
        )
        return GRPOTrainer(
            model=self.folder,
            reward_funcs=functions,
            args=args,
            train_dataset=Dataset.from_list(rows),
            processing_class=self.tokenizer,
            rollout_func=self.rollout,
        )

    # --- score: the numeric part by the trainer's own method -------------------------------------------------

    def tables(self):
        """One trainer for all tables; its settings are set to each case's before the call."""
        if self._tables is None:
            rows = [{"prompt": f"What is {i} plus 2?"} for i in range(4)]
            one = lambda completions, **kwargs: [0.0] * len(completions)  # noqa: E731
            output = os.path.join(self.folder, "tables")
            self._tables = self.trainer(
                [one], rows, output, per_device_train_batch_size=8, num_generations=4
            )
            self._tables.model.train()
        return self._tables

    def score(self, case):
        rewards = decode(case["rewards"])
        rows = len(rewards[0])
        t = self.tables()
        t.num_generations = case["n"]
        t.scale_rewards = case["scale"]
        t.multi_objective_aggregation = case["aggregation"]
        t.reward_weights = torch.tensor(case["weights"], dtype=torch.float32)
        t.reward_funcs = [lambda col=col, **kwargs: list(col) for col in rewards]
        t.reward_func_names = [f"f{i}" for i in range(len(rewards))]
        t.reward_processing_classes = [None] * len(rewards)
        return self.run(t, [{"prompt": f"p{i // case['n']}"} for i in range(rows)])

    def run(self, t, inputs):
        """One call; what it returns, what it logged, and its local variables at the return."""
        t._metrics["train"].clear()
        code = type(t)._generate_and_score_completions
        code = getattr(code, "__wrapped__", code).__code__
        seen = {}

        def enter(frame, event, argument):
            if frame.f_code is not code:
                return None
            frame.f_trace_lines = False
            return leave

        def leave(frame, event, argument):
            if event == "return":
                wanted = ("rewards", "mean_grouped_rewards", "std_rewards", "rewards_per_func")
                seen.update({k: frame.f_locals[k].tolist() for k in wanted if k in frame.f_locals})
            return leave

        sys.settrace(enter)
        try:
            output = t._generate_and_score_completions(inputs)
        finally:
            sys.settrace(None)
        metrics = {
            k: v[-1]
            for k, v in t._metrics["train"].items()
            if k.startswith("rewards/") or k in ("reward", "reward_std", "frac_reward_zero_std")
        }
        return {
            "advantages": output["advantages"].tolist(),
            "rewards": seen["rewards"],
            "means": seen.get("mean_grouped_rewards"),
            "stds": seen["std_rewards"],
            "perFunction": [list(col) for col in zip(*seen["rewards_per_func"])],
            "logged": metrics,
        }

    # --- train: a whole step, functions from a user's file ----------------------------------------------------

    def train(self, case):
        spec = importlib.util.spec_from_file_location("user_reward", case["file"])
        module = importlib.util.module_from_spec(spec)
        sys.modules["user_reward"] = module
        spec.loader.exec_module(module)
        functions = [getattr(module, name) for name in case["functions"]]
        self.canned = case["completions"]
        size = len(case["completions"])
        columns = case.get("columns") or {}
        rows = [
            {"prompt": f"p{i}", **{k: v[i * case["n"]] for k, v in columns.items()}} for i in range(size // case["n"])
        ]
        try:
            with tempfile.TemporaryDirectory() as output, contextlib.redirect_stdout(io.StringIO()):
                t = self.trainer(
                    functions,
                    rows,
                    output,
                    per_device_train_batch_size=size,
                    num_generations=case["n"],
                    reward_weights=case["weights"],
                    scale_rewards=case["scale"],
                    multi_objective_aggregation=case["aggregation"],
                )
                t.train()
                table = pandas.read_parquet(glob.glob(output + "/completions/*.parquet")[0])
                log = t.state.log_history[0]
            return {
                "completion": table["completion"].tolist(),
                "perFunction": [table[name].tolist() for name in case["functions"]],
                "advantages": table["advantage"].tolist(),
                "logged": {k: v for k, v in log.items() if k.startswith("reward") or k.startswith("frac_reward")},
            }
        except Exception as error:
            return {"error": type(error).__name__, "message": str(error)[:500]}
        finally:
            self.canned = []

    # --- fate: what one bad row does ---------------------------------------------------------------------------

    def fate(self, case):
        """In a forked child, because some of these end or never end the process."""
        t = self.tables()
        behave = BEHAVIOURS.get(case["behaviour"])

        def tested(completions, **kwargs):
            return behave([1.0, 0.0, 0.5, 0.25, 1.0, 0.0, 1.0, 0.0])

        def other(completions, **kwargs):
            return [0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0]

        if case["behaviour"] == "signature":
            tested = lambda completions: [0.0] * len(completions)  # noqa: E731
            tested.__name__ = "tested"
        functions = [tested, other] if case["with_other"] else [tested]
        t.num_generations = 4
        t.scale_rewards = case["scale"]
        t.multi_objective_aggregation = case["aggregation"]
        t.reward_weights = torch.ones(len(functions))
        t.reward_funcs = functions
        t.reward_func_names = [f.__name__ for f in functions]
        t.reward_processing_classes = [None] * len(functions)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            try:
                result = self.run(t, [{"prompt": f"p{i // 4}"} for i in range(8)])
            except BaseException as error:
                result = {"error": type(error).__name__, "message": str(error)[:500]}
            with os.fdopen(write, "w") as out:
                json.dump(encode(result), out)
            os._exit(0)
        os.close(write)
        try:
            return self.wait(child, read, case["seconds"])
        finally:
            os.close(read)

    @staticmethod
    def wait(child, read, seconds):
        """How the child ended within the time; a child that still runs is ended and said to wait."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            pid, status = os.waitpid(child, os.WNOHANG)
            if pid == child:
                text = b""
                while part := os.read(read, 65536):
                    text += part
                code = os.waitstatus_to_exitcode(status)
                return json.loads(text) if text else {"exit": code}
            time.sleep(0.05)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return {"waits": seconds}


def _second(value):
    def behave(rewards):
        return [rewards[0], value, *rewards[2:]]

    return behave


def _raise(rewards):
    raise ValueError("boom")


def _coroutine(rewards):
    async def later():
        return rewards

    return later()


def _slow(rewards):
    time.sleep(0.5)
    return rewards


def _writes(rewards):
    with tempfile.TemporaryFile() as file:
        file.write(b"scored")
    return rewards


def _hang(rewards):
    time.sleep(3600)


def _exit(rewards):
    os._exit(7)


def _killed(rewards):
    os.kill(os.getpid(), signal.SIGKILL)


BEHAVIOURS = {
    "fine": lambda rewards: rewards,
    "zero": _second(0.0),
    "none": _second(None),
    "nan": _second(math.nan),
    "inf": _second(math.inf),
    "minus-inf": _second(-math.inf),
    "string": _second("1"),
    "dict": _second({"score": 1.0}),
    "list": _second([1.0]),
    "complex": _second(1 + 2j),
    "short": lambda rewards: rewards[:-1],
    "long": lambda rewards: [*rewards, 0.0],
    "number": lambda rewards: 0.5,
    "nothing": lambda rewards: None,
    "mapping": lambda rewards: {"score": rewards},
    "raises": _raise,
    "coroutine": _coroutine,
    "slow": _slow,
    "writes": _writes,
    "hangs": _hang,
    "exits": _exit,
    "killed": _killed,
}


def main(cases, results):
    # fork needs this process to stay single-threaded where it can: the model is tiny, one thread is plenty.
    with tempfile.TemporaryDirectory() as folder, open(cases) as lines, open(results, "w") as out:
        print(json.dumps({"versions": versions()}), file=out, flush=True)
        bench = Bench(folder)
        for line in lines:
            case = json.loads(line)
            result = getattr(bench, case["op"])(case)
            print(json.dumps(encode({"id": case["id"], **result}), allow_nan=False), file=out, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
