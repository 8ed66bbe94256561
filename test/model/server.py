"""Serves the recorded model in the shape of OpenAI's API: llama.cpp's own HTTP server, as the package xllamacpp carries it.

  server.py --check                                  sees that the model is the recorded one, and exits
  server.py --port P --context N --key-file FILE     serves until its standard input ends

Its address is the first line of standard output, once the model is loaded. Exit code 3: the recorded model is not here.
"""

import argparse
import json
import os
import sys
from pathlib import Path

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
sys.path.insert(0, str(SAMPLES))
sys.dont_write_bytecode = True

import xllamacpp  # noqa: E402
from generate import CONTEXT, MODEL, SETTINGS, model_path, no_model, sha256_of  # noqa: E402


def recorded_model():
    """The file of the model, which is the one that the samples were made with."""
    path = model_path()
    if sha256_of(path) != json.loads((SAMPLES / "model.json").read_text("utf-8"))["sha256"]:
        no_model("the model file is not the one that samples/model.json names")
    return path


def parameters(path, port, context, key):
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = {MODEL}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.api_keys = [key]
    params.n_ctx = context
    params.n_parallel = 1
    params.n_gpu_layers = 0
    # Threads of a model wait for each other by spinning: on a busy machine two take several times as long as one.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    # What a request does not say is as in the samples, and no answer rests on the one before it.
    params.sampling.seed = CONTEXT["seed"]
    params.sampling.penalty_repeat = SETTINGS["free"]["repeat_penalty"]
    params.cache_prompt = False
    # A prompt that does not fit is refused, never shortened.
    params.ctx_shift = False
    params.ui = False
    return params


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--context", type=int, default=2048)
    parser.add_argument("--key-file", type=Path)
    arguments = parser.parse_args()
    path = recorded_model()
    if arguments.check:
        return
    server = xllamacpp.Server(parameters(path, arguments.port, arguments.context, arguments.key_file.read_text("utf-8").strip()))
    print(server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)  # an answer in the making is not waited for


main()
