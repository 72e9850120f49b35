"""The same measurement as windlass-local-load, by llama.cpp: `llama_peer.py MODEL PROMPT_FILE TOKENS REPEATS THREADS`."""

import ctypes
import json
import pathlib
import sys
import time

import llama_cpp
import numpy as np

NEXT = "\nNow the next step, which is to add what was found and go on from there."


def main() -> None:
    model, prompt_file = sys.argv[1], pathlib.Path(sys.argv[2])
    tokens_max, repeats, threads = (int(arg) for arg in sys.argv[3:6])
    llama = llama_cpp.Llama(
        model, n_ctx=4096, n_batch=512, n_threads=threads, n_threads_batch=threads, verbose=False, logits_all=False
    )
    context = llama.ctx
    text = prompt_file.read_text()
    words = llama.n_vocab()

    def read(tokens: list[int]) -> int:
        """Reads tokens and gives the likeliest next one."""
        for start in range(0, len(tokens), 512):
            piece = tokens[start : start + 512]
            array = (llama_cpp.llama_token * len(piece))(*piece)
            batch = llama_cpp.llama_batch_get_one(array, len(piece))
            if llama_cpp.llama_decode(context, batch) != 0:
                raise SystemExit("llama.cpp could not read the prompt")
        scores = llama_cpp.llama_get_logits_ith(context, -1)
        pointer = ctypes.cast(scores, ctypes.POINTER(ctypes.c_float))
        return int(np.ctypeslib.as_array(pointer, (words,)).argmax())

    def tokens_of(text: str) -> list[int]:
        return llama.tokenize(text.encode(), add_bos=False, special=False)

    def measure(number: int, count: int) -> dict[str, float]:
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(context), True)
        prompt, rest = tokens_of(f"{number} {text}"), tokens_of(NEXT)
        begun = time.perf_counter()
        read(prompt)
        first = time.perf_counter()
        token = read(rest)
        second = time.perf_counter()
        for _ in range(count):
            token = read([token])
        written = time.perf_counter()
        return {
            "prompt_tokens": len(prompt),
            "first_ms": (first - begun) * 1000,
            "second_tokens": len(prompt) + len(rest),
            "second_cached": len(prompt),
            "second_ms": (second - first) * 1000,
            "written_tokens": count,
            "written_ms": (written - second) * 1000,
        }

    measure(0, 1)
    for number in range(1, repeats + 1):
        print(json.dumps(measure(number, tokens_max)))


main()
