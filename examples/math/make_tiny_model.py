"""Makes tiny-model/: a language model small enough to be trained on a CPU, from outputs.jsonl alone.

    python make_tiny_model.py

Needs the environment that TRL runs in (torch, transformers, tokenizers); nothing is fetched. The model has learnt the
form of the outputs for some seconds: it writes tags and numbers, seldom the right ones. That is what makes it
good for a try: its rewards differ within a group, so a run has something to learn from.
"""

import argparse
import json
import os
import random
import time
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

HERE = Path(__file__).resolve().parent
PAD, START, END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
CHAT = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)


def make_tokenizer(texts):
    """Byte-level BPE, so that there is no text it can't write down."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1000,
        special_tokens=[PAD, START, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=END, pad_token=PAD)
    fast.chat_template = CHAT
    return fast


def make_model(tokenizer):
    return Qwen2ForCausalLM(
        Qwen2Config(
            vocab_size=len(tokenizer),
            hidden_size=96,
            intermediate_size=256,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=1024,
            tie_word_embeddings=True,
            bos_token_id=None,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )


def learn(model, tokenizer, rows, steps):
    """Next-token training on prompt and completion, the loss on the completion."""
    examples = []
    for row in rows:
        prompt = tokenizer(row["prompt"])["input_ids"]
        answer = tokenizer(row["completion"])["input_ids"][:120] + [tokenizer.eos_token_id]
        examples.append((prompt + answer, [-100] * len(prompt) + answer))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    rng = random.Random(0)
    for step in range(steps):
        batch = rng.sample(examples, 16)
        length = max(len(ids) for ids, _ in batch)
        ids = torch.tensor([ids + [tokenizer.pad_token_id] * (length - len(ids)) for ids, _ in batch])
        labels = torch.tensor([labels + [-100] * (length - len(labels)) for _, labels in batch])
        mask = torch.tensor([[1] * len(one) + [0] * (length - len(one)) for one, _ in batch])
        loss = model(input_ids=ids, attention_mask=mask, labels=labels).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if step % 50 == 0 or step == steps - 1:
            print(f"step {step}: loss {loss.item():.2f}", flush=True)


def main():
    asked = argparse.ArgumentParser(description="Makes a tiny model from outputs.jsonl.")
    asked.add_argument("--out", default=str(HERE / "tiny-model"), help="folder of the model")
    asked.add_argument("--steps", type=int, default=200, help="0: random weights")
    options = asked.parse_args()
    started = time.monotonic()
    torch.manual_seed(0)
    with open(HERE / "outputs.jsonl", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file if line.strip()]
    tokenizer = make_tokenizer(text for row in rows for text in (row["prompt"], row["completion"]))
    model = make_model(tokenizer)
    if options.steps > 0:
        learn(model, tokenizer, rows, options.steps)
    model.save_pretrained(options.out)
    tokenizer.save_pretrained(options.out)
    print(f"{model.num_parameters():,} weights in {options.out}, made in {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
