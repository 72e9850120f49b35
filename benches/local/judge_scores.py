"""Makes small models of random weights and lets llama.cpp score with them: `judge_scores.py FOLDER CHECKOUT`.

Every family, every way to keep weights. Beside each `NAME.gguf` lies `NAME.gguf.scores`: a prompt in tokens, the scores
of the token that follows it, and the tokens that follow when the best one is always taken.
"""

import ctypes
import dataclasses
import json
import pathlib
import sys

import gguf
import llama_cpp
import numpy as np
from judge_tokens import CONTROL, NORMAL, trained

WIDTH, FORWARD, LAYERS, CONTEXT, PROMPT_TOKENS, CONTINUED_TOKENS = 256, 512, 3, 1024, 300, 64
RESERVED = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


@dataclasses.dataclass
class Family:
    """What sets one family apart from another."""

    architecture: str
    heads: int
    heads_kv: int
    head: int
    rule: str = "qwen2"
    has_biases: bool = False
    has_norms: bool = False
    has_divisors: bool = False
    is_tied: bool = True
    window: int = 0
    theta: float = 10_000.0


FAMILIES = {
    "qwen2": Family("qwen2", 4, 2, 64, has_biases=True, theta=1_000_000.0),
    "qwen3": Family("qwen3", 4, 2, 128, has_norms=True, theta=1_000_000.0),
    "llama3": Family("llama", 4, 2, 64, rule="llama-bpe", has_divisors=True, is_tied=False, theta=500_000.0),
    "smollm": Family("llama", 4, 1, 64, rule="smollm", theta=100_000.0),
    "mistral": Family("llama", 8, 2, 32, rule="tekken", is_tied=False, theta=1_000_000.0),
    "mistral-head": Family("llama", 4, 2, 128, rule="tekken", is_tied=False, theta=1_000_000.0),
}
# How weights are kept, the least likeness of scores, and whether everything that follows must be the same.
KINDS = {
    "f32": (llama_cpp.LLAMA_FTYPE_ALL_F32, 0.99999, True),
    "f16": (llama_cpp.LLAMA_FTYPE_MOSTLY_F16, 0.9999, False),
    "bf16": (llama_cpp.LLAMA_FTYPE_MOSTLY_BF16, 0.999, False),
    "q8_0": (llama_cpp.LLAMA_FTYPE_MOSTLY_Q8_0, 0.999, False),
    "q4_0": (llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_0, 0.999, False),
    "q5_0": (llama_cpp.LLAMA_FTYPE_MOSTLY_Q5_0, 0.999, False),
    "q4_k": (llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_K_M, 0.999, False),
    "q5_k": (llama_cpp.LLAMA_FTYPE_MOSTLY_Q5_K_M, 0.999, False),
    "q6_k": (llama_cpp.LLAMA_FTYPE_MOSTLY_Q6_K, 0.999, False),
}


def write(path: pathlib.Path, family: Family, words: list[str], merges: list[str]) -> None:
    writer, dice = gguf.GGUFWriter(path, family.architecture), np.random.default_rng(5)
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FORWARD)
    writer.add_head_count(family.heads)
    writer.add_head_count_kv(family.heads_kv)
    writer.add_key_length(family.head)
    writer.add_value_length(family.head)
    writer.add_rope_dimension_count(family.head)
    writer.add_rope_freq_base(family.theta)
    writer.add_layer_norm_rms_eps(1e-5)
    if family.window:
        writer.add_sliding_window(family.window)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(family.rule)
    writer.add_token_list(words + RESERVED)
    writer.add_token_types([NORMAL] * len(words) + [CONTROL] * len(RESERVED))
    writer.add_token_merges(merges)
    writer.add_eos_token_id(len(words) + 2)
    writer.add_add_bos_token(False)

    def add(name: str, rows: int, columns: int) -> None:
        weights = dice.standard_normal((rows, columns), dtype=np.float32) * (1.5 / columns**0.5)
        if name in ("token_embd.weight", "output.weight"):
            # What ends an answer is never the best token.
            weights[len(words) :] = 0.0
        writer.add_tensor(name, weights)

    def add_vector(name: str, length: int, middle: float) -> None:
        writer.add_tensor(name, (dice.standard_normal(length, dtype=np.float32) * 0.2 + middle).astype(np.float32))

    count, queries, keys = len(words) + len(RESERVED), family.heads * family.head, family.heads_kv * family.head
    add("token_embd.weight", count, WIDTH)
    add_vector("output_norm.weight", WIDTH, 1.0)
    if not family.is_tied:
        add("output.weight", count, WIDTH)
    if family.has_divisors:
        # As Llama 3.1 has them: fast rotations are left alone, slow ones slowed eightfold.
        writer.add_tensor("rope_freqs.weight", np.linspace(1.0, 8.0, family.head // 2, dtype=np.float32))
    for layer in range(LAYERS):
        block = f"blk.{layer}"
        add_vector(f"{block}.attn_norm.weight", WIDTH, 1.0)
        add_vector(f"{block}.ffn_norm.weight", WIDTH, 1.0)
        for name, rows in [("attn_q", queries), ("attn_k", keys), ("attn_v", keys)]:
            add(f"{block}.{name}.weight", rows, WIDTH)
            if family.has_biases:
                add_vector(f"{block}.{name}.bias", rows, 0.0)
        if family.has_norms:
            add_vector(f"{block}.attn_q_norm.weight", family.head, 1.0)
            add_vector(f"{block}.attn_k_norm.weight", family.head, 1.0)
        add(f"{block}.attn_output.weight", WIDTH, queries)
        add(f"{block}.ffn_gate.weight", FORWARD, WIDTH)
        add(f"{block}.ffn_up.weight", FORWARD, WIDTH)
        add(f"{block}.ffn_down.weight", WIDTH, FORWARD)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def quantise(source: pathlib.Path, path: pathlib.Path, kind: int) -> None:
    settings = llama_cpp.llama_model_quantize_default_params()
    settings.ftype, settings.nthread = kind, 1
    if llama_cpp.llama_model_quantize(str(source).encode(), str(path).encode(), ctypes.byref(settings)) != 0:
        raise SystemExit(f"llama.cpp could not make {path.name}")


def judge(path: pathlib.Path, text: str, least: float, is_exact: bool) -> None:
    """Scores as exactly as llama.cpp can: its cache in 32 bits, its attention step by step."""
    f32 = llama_cpp.GGML_TYPE_F32
    llama = llama_cpp.Llama(
        str(path), n_ctx=CONTEXT, n_batch=512, n_threads=1, n_threads_batch=1, verbose=False, type_k=f32, type_v=f32, flash_attn=False
    )
    words = llama.n_vocab()

    def read(tokens: list[int]) -> np.ndarray:
        array = (llama_cpp.llama_token * len(tokens))(*tokens)
        if llama_cpp.llama_decode(llama.ctx, llama_cpp.llama_batch_get_one(array, len(tokens))) != 0:
            raise SystemExit(f"llama.cpp could not read with {path.name}")
        scores = ctypes.cast(llama_cpp.llama_get_logits_ith(llama.ctx, -1), ctypes.POINTER(ctypes.c_float))
        return np.ctypeslib.as_array(scores, (words,)).copy()

    prompt = llama.tokenize(text.encode(), add_bos=False, special=False)[:PROMPT_TOKENS]
    first = scores = read(prompt)
    continuation = []
    for _ in range(CONTINUED_TOKENS):
        continuation.append(int(scores.argmax()))
        scores = read(continuation[-1:])
    verdict = {"prompt": prompt, "scores": [float(score) for score in first], "continuation": continuation}
    verdict |= {"cosine_min": least, "exact": is_exact}
    path.with_name(path.name + ".scores").write_text(json.dumps(verdict) + "\n")


def main() -> None:
    folder, checkout = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    text = "\n".join(file.read_text() for file in sorted(checkout.glob("docs/*.md")))
    words, merges = trained([text[:200_000]], 1000, 0)
    for name, family in FAMILIES.items():
        whole = folder / f"{name}-f32.gguf"
        write(whole, family, words, merges)
        for kind, (file_type, least, is_exact) in KINDS.items():
            path = folder / f"{name}-{kind}.gguf"
            if path != whole:
                quantise(whole, path, file_type)
            judge(path, text[5000:8000], least, is_exact)
        print(f"{name}: scored", flush=True)


if __name__ == "__main__":
    main()
