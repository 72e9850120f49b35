"""Scores a GGUF file on a set of requests with constrained decoding: `python3 score.py MODEL.gguf SET.jsonl [--show]`.

Owns reference inference (numpy), decoding and the figures; knows nothing of training.  Without `--show` figures alone
are printed.
"""

import json
import os
import re
import sys
import time
from concurrent.futures import ProcessPoolExecutor

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

import constrain
import gguf_file
from tools import NAMES, SPECIALS, TOOLS, call_text, prompt

SPLIT = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")


def tokenizer_of(metadata):
    vocabulary = {token: at for at, token in enumerate(metadata["tokenizer.ggml.tokens"])}
    merges = [tuple(merge.split(" ")) for merge in metadata["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(SPLIT), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer, vocabulary


def byte_table():
    """Character of the byte-level alphabet -> byte."""
    plain = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
    table, extra = {chr(byte): byte for byte in plain}, 0
    for byte in range(256):
        if byte not in plain:
            table[chr(256 + extra)] = byte
            extra += 1
    return table


class Model:
    """Qwen2 in numpy: one sequence, keys and values kept."""

    def __init__(self, path):
        reader = gguf_file.Reader(path)
        meta, self.w = reader.metadata, reader.tensors
        self.layers = meta["qwen2.block_count"]
        self.heads, self.kv_heads = meta["qwen2.attention.head_count"], meta["qwen2.attention.head_count_kv"]
        self.width = meta["qwen2.embedding_length"] // self.heads
        self.epsilon = meta["qwen2.attention.layer_norm_rms_epsilon"]
        self.rates = meta["qwen2.rope.freq_base"] ** (-np.arange(0, self.width, 2, dtype=np.float64) / self.width)
        self.prefix = None
        self.tokenizer, self.vocabulary = tokenizer_of(meta)
        table = byte_table()
        self.bytes = [None if token in SPECIALS else bytes(table[char] for char in token) for token in meta["tokenizer.ggml.tokens"]]

    def encode(self, text):
        """Ids of a prompt: special tokens are ours, everything between them is plain text."""
        ids = []
        for piece in re.split("(" + "|".join(re.escape(token) for token in SPECIALS) + ")", text):
            ids += [self.vocabulary[piece]] if piece in SPECIALS else self.tokenizer.encode(piece, add_special_tokens=False).ids if piece else []
        return ids

    def norm(self, x, weight):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + self.epsilon) * weight

    def rotate(self, x, positions):
        angle = positions[:, None, None] * self.rates
        cos, sin = np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)
        half = self.width // 2
        a, b = x[..., :half], x[..., half:]
        return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)

    def forward(self, ids, cache):
        """Logits after the last of `ids`; the cache grows."""
        past = cache[0][0].shape[0] if cache else 0
        n, w = len(ids), self.w
        x = w["token_embd.weight"][ids]
        positions = np.arange(past, past + n)
        mask = np.where(np.arange(past + n)[None, :] > positions[:, None], -1e30, 0).astype(np.float32)
        for layer in range(self.layers):
            p = f"blk.{layer}."
            h = self.norm(x, w[p + "attn_norm.weight"])
            q = (h @ w[p + "attn_q.weight"].T + w[p + "attn_q.bias"]).reshape(n, self.heads, self.width)
            k = (h @ w[p + "attn_k.weight"].T + w[p + "attn_k.bias"]).reshape(n, self.kv_heads, self.width)
            v = (h @ w[p + "attn_v.weight"].T + w[p + "attn_v.bias"]).reshape(n, self.kv_heads, self.width)
            q, k = self.rotate(q, positions), self.rotate(k, positions)
            if layer < len(cache):
                k, v = np.concatenate([cache[layer][0], k]), np.concatenate([cache[layer][1], v])
                cache[layer] = (k, v)
            else:
                cache.append((k, v))
            group = self.heads // self.kv_heads
            keys, vals = np.repeat(k, group, 1), np.repeat(v, group, 1)
            scores = np.einsum("qhd,khd->hqk", q, keys) / np.sqrt(self.width) + mask
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            scores /= scores.sum(-1, keepdims=True)
            x = x + np.einsum("hqk,khd->qhd", scores, vals).reshape(n, -1) @ w[p + "attn_output.weight"].T
            h = self.norm(x, w[p + "ffn_norm.weight"])
            gate = h @ w[p + "ffn_gate.weight"].T
            x = x + (gate / (1 + np.exp(-gate)) * (h @ w[p + "ffn_up.weight"].T)) @ w[p + "ffn_down.weight"].T
        return self.norm(x[-1], w["output_norm.weight"]) @ w["token_embd.weight"].T

    def forward_many(self, ids, caches):
        """One token for each of several sequences: the weights are read once for all of them."""
        n, w, group = len(ids), self.w, self.heads // self.kv_heads
        x = w["token_embd.weight"][ids]
        positions = np.array([cache[0][0].shape[0] for cache in caches])
        for layer in range(self.layers):
            p = f"blk.{layer}."
            h = self.norm(x, w[p + "attn_norm.weight"])
            q = (h @ w[p + "attn_q.weight"].T + w[p + "attn_q.bias"]).reshape(n, self.heads, self.width)
            k = (h @ w[p + "attn_k.weight"].T + w[p + "attn_k.bias"]).reshape(n, self.kv_heads, self.width)
            v = (h @ w[p + "attn_v.weight"].T + w[p + "attn_v.bias"]).reshape(n, self.kv_heads, self.width)
            q, k = self.rotate(q, positions), self.rotate(k, positions)
            mixed = np.empty((n, self.heads, self.width), dtype=np.float32)
            for at, cache in enumerate(caches):
                keys, vals = np.concatenate([cache[layer][0], k[at:at + 1]]), np.concatenate([cache[layer][1], v[at:at + 1]])
                cache[layer] = (keys, vals)
                scores = np.einsum("gid,tgd->git", q[at].reshape(self.kv_heads, group, self.width), keys) / np.sqrt(self.width)
                scores = np.exp(scores - scores.max(-1, keepdims=True))
                scores /= scores.sum(-1, keepdims=True)
                mixed[at] = np.einsum("git,tgd->gid", scores, vals).reshape(self.heads, self.width)
            x = x + mixed.reshape(n, -1) @ w[p + "attn_output.weight"].T
            h = self.norm(x, w[p + "ffn_norm.weight"])
            gate = h @ w[p + "ffn_gate.weight"].T
            x = x + (gate / (1 + np.exp(-gate)) * (h @ w[p + "ffn_up.weight"].T)) @ w[p + "ffn_down.weight"].T
        return self.norm(x, w["output_norm.weight"]) @ w["token_embd.weight"].T

    def first_of(self, logits, fits):
        """The likeliest token that fits, as (id, bytes)."""
        best = int(logits.argmax())
        if self.bytes[best] and fits(self.bytes[best]):
            return best, self.bytes[best]
        for at in np.argsort(-logits):
            if self.bytes[at] and fits(self.bytes[at]):
                return int(at), self.bytes[at]
        raise RuntimeError("no token fits the language")

    def answer(self, messages):
        """The next assistant message under the constraints: `<answer>kind` or a call as text.

        A coroutine: yields (ids, cache) and is sent the logits after them, so that several can be answered together.
        """
        allowed = [name for role, text in messages if role == "system" for name in text.removeprefix("tools: ").split()]
        users = [text for role, text in messages if role == "user"]
        ids = self.encode(prompt(messages))
        if self.prefix is None or ids[:len(self.prefix[0])] != self.prefix[0]:
            head, kept = self.encode(prompt(messages[:1]))[:-3], []
            self.forward(head, kept)
            self.prefix = (head, kept)
        cache = list(self.prefix[1])
        logits = yield ids[len(self.prefix[0]):], cache
        call, plain = self.vocabulary["<tool_call>"], self.vocabulary["<answer>"]
        written = b""
        if not allowed or logits[plain] >= logits[call]:
            kinds = constrain.answers(messages[-1][0] == "tool")
            at = plain
            while written not in kinds:
                logits = yield [at], cache
                at, piece = self.first_of(logits, lambda b: any(kind.startswith(written + b) for kind in kinds))
                written += piece
            return "<answer>" + written.decode()
        language = constrain.Language(allowed, users)
        at = call
        while not language.whole(written):
            logits = yield [at], cache
            at, piece = self.first_of(logits, lambda b: language.viable(written + b))
            written += piece
        body = json.loads(written)
        for key, value in body["arguments"].items():
            if isinstance(value, str):
                body["arguments"][key] = value.strip()
        return call_text(body["name"], body["arguments"])

    def together(self, coroutines):
        """Runs coroutines side by side; their results in order."""
        results, waiting = [None] * len(coroutines), {}

        def go_on(at, logits):
            try:
                waiting[at] = coroutines[at].send(logits)
            except StopIteration as end:
                waiting.pop(at, None)
                results[at] = end.value
        for at in range(len(coroutines)):
            go_on(at, None)
        while waiting:
            single = [at for at, (ids, cache) in waiting.items() if len(ids) == 1 and cache]
            for at, (ids, cache) in list(waiting.items()):
                if at not in single:
                    go_on(at, self.forward(ids, cache))
            if single:
                logits = self.forward_many([waiting[at][0][0] for at in single], [waiting[at][1] for at in single])
                for row, at in enumerate(single):
                    go_on(at, logits[row])
        return results


# ---- comparing
def parse(answer):
    return json.loads(answer[len("<tool_call>"):-len("</tool_call>")]) if answer.startswith("<tool_call>") else None


def evaluate(text):
    if not re.fullmatch(r"(?:sqrt|abs|min|max|round|floor|ceil|[0-9.+\-*/%(), ])+", text):
        return None
    import math
    try:
        return eval(text, {"__builtins__": {}}, {"sqrt": math.sqrt, "abs": abs, "min": min, "max": max, "round": round, "floor": math.floor, "ceil": math.ceil})
    except Exception:
        return None


def right(got, want, accept, accept_value):
    """Whether a call is fully right."""
    if got is None or got["name"] != want["name"] or set(got["arguments"]) != set(want["arguments"]):
        return False
    for key, value in want["arguments"].items():
        have = got["arguments"][key]
        if key in accept_value:
            result = evaluate(str(have))
            if result is None or abs(result - accept_value[key]) > 1e-6 * max(1, abs(accept_value[key])):
                return False
        elif key in accept:
            if not all(part.lower() in str(have).lower() for part in accept[key]):
                return False
        elif key == "expression":
            if re.sub(r"\s", "", have) != re.sub(r"\s", "", value).replace("^", "**"):
                return False
        elif have != value:
            return False
    return True


def judge(model, case):
    """Coroutine to (first answer, tool right, fully right, steps right or None, all answers)."""
    messages = [("system", "tools: " + " ".join(case.get("tools", NAMES)))] + [tuple(m) for m in case.get("history", [])] + [("user", case["user"])]
    first = yield from model.answer(messages)
    got, want = parse(first), case["expect"]
    if want is None:
        return first, got is None, got is None, None, [first]
    tool = got is not None and got["name"] == want["name"]
    full = right(got, want, case.get("accept", {}), case.get("accept_value", {}))
    if not case.get("steps"):
        return first, tool, full, None, [first]
    written, good = [], True
    for at, step in enumerate(case["steps"]):
        answer = first if at == 0 else (yield from model.answer(messages))
        written.append(answer)
        accept = case.get("accept_steps", [{}] * 9)[at] or (case.get("accept", {}) if at == 0 else {})
        values = case.get("accept_value_steps", [{}] * 9)[at] or (case.get("accept_value", {}) if at == 0 else {})
        good = good and right(parse(answer), step, accept, values)
        if parse(answer) is None:
            break
        messages += [("assistant", answer), ("tool", "ok 1 line: done")]
    else:
        written.append((yield from model.answer(messages)))
        good = good and written[-1] == "<answer>done"
    return first, tool, full, good, written


MODEL = None


def work(item):
    global MODEL
    path, cases = item
    if MODEL is None:
        MODEL = Model(path)
    return MODEL.together([judge(MODEL, case) for case in cases])


def score(path, cases, workers, seconds):
    """Results in order, as they come; stops early when time is up."""
    until = time.time() + seconds
    with ProcessPoolExecutor(workers) as pool:
        for part in pool.map(work, [(path, cases[at:at + 24]) for at in range(0, len(cases), 24)]):
            yield from part
            if time.time() > until:
                pool.shutdown(wait=False, cancel_futures=True)
                return


def report(cases, results, show):
    groups, kinds = {}, [0, 0]
    for case, (first, tool, full, steps, written) in zip(cases, results):
        want = case["expect"]
        name = want["name"] if want else "(none)"
        for key in (name, "all calls" if want else "all none", "everything"):
            group = groups.setdefault(key, [0, 0, 0])
            group[0] += 1
            group[1] += tool
            group[2] += full
        if steps is not None:
            group = groups.setdefault("two steps", [0, 0, 0])
            group[0] += 1
            group[1] += tool
            group[2] += steps
        if want is None and case.get("kind"):
            kinds[0] += 1
            kinds[1] += first == "<answer>" + case["kind"]
        if show and (not full or steps is False):
            print("MISS", json.dumps(case["user"], ensure_ascii=False), "| want", json.dumps(case.get("steps") or want or case.get("kind"), ensure_ascii=False), "| got", " ; ".join(written), flush=True)
    for key in sorted(groups, key=lambda k: (k.startswith("all") or k in ("everything", "two steps"), k)):
        count, tool, full = groups[key]
        print(f"{key:22} {count:4}  tool {100 * tool / count:5.1f} %  full {100 * full / count:5.1f} %")
    if kinds[0]:
        print(f"kind of answer right   {kinds[0]:4}  {100 * kinds[1] / kinds[0]:5.1f} %")


if __name__ == "__main__":
    started = time.time()
    with open(sys.argv[2], encoding="utf-8") as lines:
        CASES = [json.loads(line) for line in lines if line.strip()]
    RESULTS = score(sys.argv[1], CASES, int(os.environ.get("WORKERS", os.cpu_count() or 2)), float(os.environ.get("SECONDS_MAX", "3600")))
    report(CASES, RESULTS, "--show" in sys.argv)
    print(f"{len(CASES)} cases in {time.time() - started:.0f} s")
