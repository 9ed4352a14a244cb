"""The prompts: text files of our own, with a hash that stands in every output; or a file of the reader's own."""

import hashlib
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from helpers.checks import nearest_name

FOLDER = Path(__file__).parent / "prompts"

NEEDED = {
    "answer": ("question",),
    "is_true": ("question", "answer"),
    "verbalised": ("question", "answer"),
    "score": ("case", "question", "options"),
    "probability": ("case", "question"),
    "partition": ("question", "answers"),
    "grade": ("question", "answer", "reference"),
}

STATED = {"answer": {"type": "string"}, "confidence": {"type": "integer", "enum": list(range(101))}}

_ROLE = re.compile(r"^\[(system|user|assistant)\][ \t]*$", re.MULTILINE)

_PLACE = re.compile(r"\{([A-Za-z_]+)\}")


@dataclass(frozen=True)
class Prompt:
    """A prompt that has been read: `name` of the file, `text`, and in `sha256` the first 16 digits of its hash."""

    name: str
    text: str = field(repr=False)
    sha256: str

    @property
    def schema(self):
        """JSON schema of the object with a confidence that it asks for; None if it asks for no confidence."""
        fields = [name for name in STATED if f'"{name}":' in self.text]
        return object_schema(**{name: STATED[name] for name in fields}) if "confidence" in fields else None

    def messages(self, **values):
        """The messages of a request, the places filled with `values`; braces inside a value stay as they are."""
        parts = _ROLE.split(self.text)
        if len(parts) == 1:
            parts = ["", "user", *parts]
        return [
            {"role": role, "content": _PLACE.sub(lambda place: str(values[place[1]]), text.strip())}
            for role, text in zip(parts[1::2], parts[2::2], strict=True)
        ]


def object_schema(**properties):
    """JSON schema of an object with these properties, all of them and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def load_prompt(name, step):
    """`Prompt` of a built-in name or of a path, for one step of `NEEDED`; ValueError if it cannot serve that step."""
    text = prompt_text(name)
    label = Path(name).name.removesuffix(".txt")
    needed = NEEDED[step]
    places = _PLACE.findall(text)
    for place in places:
        if place not in needed:
            hint = nearest_name(place, needed, "place")
            raise ValueError(f"prompt {label} holds {{{place}}}, which nothing fills here; {hint}")
    for place in needed:
        if place not in places:
            raise ValueError(f"prompt {label} must hold {{{place}}}, or the model cannot see it.")
    if _ROLE.search(text) and _ROLE.split(text)[0].strip():
        raise ValueError(f"prompt {label} must begin with its first [system] or [user], but text stands before it.")
    prompt = Prompt(label, text, hashlib.sha256(text.encode()).hexdigest()[:16])
    if step == "verbalised" and not prompt.schema:
        raise ValueError(f'prompt {label} must ask for a JSON object with "confidence": NUMBER.')
    return prompt


def prompt_text(name):
    """Text of a prompt: one of ours by its name, or a file of the reader's own by its path."""
    names = prompt_names()
    path = FOLDER / f"{name}.txt" if name in names else Path(os.path.expanduser(name))
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"prompt {path.name} must be a text file in UTF-8.") from None
    except OSError:
        raise ValueError(
            f"prompt must be the name of a prompt or the path of a text file, but {path.name!r} is neither; "
            f"{nearest_name(path.name, names, 'prompt')}"
        ) from None
    if not text.strip():
        raise ValueError(f"prompt {path.name} is empty.")
    return text


def prompt_names():
    """Names of the prompts that come with the package."""
    return sorted(path.stem for path in FOLDER.glob("*.txt"))
