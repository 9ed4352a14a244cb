"""A language model as a process of its own: settings on standard input, the port on standard output.

It is started as a file, not as a part of the package, so that nothing but llama.cpp is loaded. It ends when its
standard input ends, so that it never outlives the program that started it.
"""

import json
import os
import sys

NOT_LOADED = "xllamacpp cannot be loaded"


def parameters(settings):
    """llama.cpp's parameters from {path, name, host, port, n_threads, n_parallel, context, cache_megabytes}."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = settings["path"]
    params.model_alias = {settings["name"]}
    params.hostnames = [settings["host"]]
    params.port = settings["port"]
    params.n_parallel = settings["n_parallel"]
    params.n_ctx = settings["context"] * settings["n_parallel"]
    params.cache_ram_mib = settings["cache_megabytes"]  # 8 GB by default
    params.n_ctx_checkpoints = 0
    params.swa_full = True  # else a model that looks through a window (Gemma) reads the head of each prompt anew
    params.verbosity = 1  # errors only
    params.sampling.temp = 1.0
    params.sampling.top_k = 0  # 40 by default: what is drawn would not follow the log-probabilities that are stated
    params.sampling.top_p = 1.0
    params.sampling.min_p = 0.0
    params.ui = False
    params.endpoint_slots = False
    params.cors_origins = ""  # pages of a browser have no business here
    for threads in (params.cpuparams, params.cpuparams_batch):
        threads.n_threads = settings["n_threads"]
        threads.poll = 0  # threads that wait do not keep a core busy
    return params


def main():
    settings = json.loads(sys.stdin.readline())
    output = os.dup(1)
    os.dup2(2, 1)  # what llama.cpp prints is not mistaken for the port
    try:
        import xllamacpp
    except ImportError as error:  # for want of a library of the system
        sys.exit(f"{NOT_LOADED}: {error}")
    try:
        server = xllamacpp.Server(parameters(settings))
    except RuntimeError as error:
        sys.exit(str(error))
    os.write(output, f"{server.listening_address.rsplit(':', 1)[1]}\n".encode())
    try:
        sys.stdin.read()
    except KeyboardInterrupt:
        pass
    del server


if __name__ == "__main__":
    main()
