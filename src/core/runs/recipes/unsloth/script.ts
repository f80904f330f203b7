import { RESUME_OPTION } from "../trl/script";

/** Before TRL, which it patches. */
export const UNSLOTH_IMPORTS = `import unsloth
from unsloth import FastLanguageModel

import torch
import transformers
import trl
from transformers import TrainerCallback
from trl import GRPOConfig, GRPOTrainer
`;

export const UNSLOTH_MODEL = String.raw`
def load_model():
    model, tokenizer = FastLanguageModel.from_pretrained(model_name=MODEL, **MODEL_OPTIONS)
    if LORA is not None:
        model = FastLanguageModel.get_peft_model(
            model,
            target_modules=["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"],
            use_gradient_checkpointing="unsloth",
            **LORA,
        )
    return model, tokenizer


def make_trainer():
    rewards = load_rewards()
    train, held_out = load_prompts()
    model, tokenizer = load_model()
    return GRPOTrainer(
        model=model,
        processing_class=tokenizer,
        reward_funcs=rewards,
        args=GRPOConfig(**{**CONFIG, **for_this_machine(), "output_dir": str(OUT)}),
        train_dataset=train,
        eval_dataset=held_out,
        callbacks=[Watch()],
    )
`;

export const UNSLOTH_MAIN = String.raw`
def main():
${RESUME_OPTION}    return run(make_trainer(), options.resume)


if __name__ == "__main__":
    sys.exit(main())
`;
