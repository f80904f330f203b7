"""Writes keys and defaults of trainers' own configurations as the recipes compare with them, one file a framework.

    python scripts/recipe_defaults.py verl VERSION FOLDER        folder of an unpacked wheel; needs hydra-core
    python scripts/recipe_defaults.py nemo-rl VERSION FOLDER     a checkout; needs omegaconf
    python scripts/recipe_defaults.py prime-rl VERSION FOLDER    a checkout; needs what packages/prime-rl-configs needs
    python scripts/recipe_defaults.py art VERSION FOLDER         folder that holds the package art

TRL's come from scripts/recipe-defaults.mjs, for every release.
"""

import enum
import json
import sys
import types
import typing
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "src/core/runs/recipes/defaults"


def flat(tree, prefix=""):
    """Nested mappings -> dotted keys. A mapping with nothing in it is a value."""
    found = {}
    for key, value in tree.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            found[name] = None if value else {}
            found.update(flat(value, f"{name}."))
        else:
            found[name] = value
    return found


def verl(folder):
    from hydra import compose, initialize_config_dir
    from omegaconf import OmegaConf

    with initialize_config_dir(str(Path(folder).resolve() / "verl/trainer/config"), version_base=None):
        # Interpolations stay as they are written: what they come to depends on the machine.
        return flat(OmegaConf.to_container(compose("ppo_trainer"), resolve=False))


NEMO_BASES = {
    "nemo-rl": "examples/configs/grpo_math_1B.yaml",
    "nemo-gym": "examples/nemo_gym/grpo_workplace_assistant_nemotron_nano_v2_9b.yaml",
}


def nemo_rl(folder, name="nemo-rl"):
    from omegaconf import OmegaConf

    return flat(OmegaConf.to_container(OmegaConf.load(Path(folder) / NEMO_BASES[name]), resolve=False))


def models_in(annotation):
    """Classes of settings that a field may hold, and whether it is a list of them."""
    from pydantic import BaseModel

    if isinstance(annotation, typing.TypeAliasType) if hasattr(typing, "TypeAliasType") else False:
        annotation = annotation.__value__
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return models_in(typing.get_args(annotation)[0])
    if origin in (typing.Union, types.UnionType):
        return [one for part in typing.get_args(annotation) for one in models_in(part)]
    if origin is list:
        return [(model, True) for model, _ in models_in(typing.get_args(annotation)[0])]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [(annotation, False)]
    return []


def fields_of(model, prefix="", seen=()):
    from pydantic import BaseModel
    from pydantic_core import PydanticUndefined

    found = {}
    for name, field in model.model_fields.items():
        key = f"{prefix}{name}"
        default = field.default
        plain = default is PydanticUndefined or isinstance(default, BaseModel)
        found[key] = None if plain else simple(default)
        # Of several classes the one that is taken when nothing is said comes first.
        usual = type(field.get_default(call_default_factory=False)) if not callable(field.default_factory) else None
        for inner, many in sorted(models_in(field.annotation), key=lambda one: one[0] is not usual):
            # How a chat template is rendered has some thirty keys for each place it may be set at.
            if inner in seen or len(seen) > 8 or (name == "renderer" and "algo" in prefix):
                continue
            for inner_key, value in fields_of(inner, f"{key}[]." if many else f"{key}.", (*seen, inner)).items():
                found.setdefault(inner_key, value)
    return found


def simple(value):
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Path):
        return str(value)
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError):
        return None


def prime_rl(folder):
    sys.path.insert(0, str(Path(folder) / "packages/prime-rl-configs/src"))
    from prime_rl.configs.rl import RLConfig

    return fields_of(RLConfig)


def art(folder):
    """Arguments of `LocalBackend.train`: ART has no configuration file."""
    import ast

    tree = ast.parse((Path(folder) / "art/local/backend.py").read_text(encoding="utf-8"))
    backend = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "LocalBackend")
    train = next(node for node in backend.body if isinstance(node, ast.AsyncFunctionDef) and node.name == "train")
    pairs = zip(train.args.kwonlyargs, train.args.kw_defaults)
    return {argument.arg: ast.literal_eval(default) for argument, default in pairs}


READERS = {"art": art, "verl": verl, "nemo-rl": nemo_rl, "nemo-gym": lambda folder: nemo_rl(folder, "nemo-gym"), "prime-rl": prime_rl}


def main():
    name, version, folder = sys.argv[1:]
    keys = READERS[name](folder)
    lines = [f"    {json.dumps(key)}: [[{json.dumps(version)}, {json.dumps(simple(keys[key]))}]]" for key in sorted(keys)]
    head = json.dumps({"framework": name, "versions": [version]})
    text = head[:-1] + ', "keys": {\n' + ",\n".join(lines) + "\n}}\n"
    (OUT / f"{name}.json").write_text(text, encoding="utf-8")
    print(f"{name} {version}: {len(keys)} keys")


if __name__ == "__main__":
    main()
