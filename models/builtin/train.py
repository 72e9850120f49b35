"""Trains the built-in model on one GPU: `OUT=folder BUDGET=seconds python3 train.py`.

Owns tokenizer training, the network, the schedule and the checkpoint; dialogues come from generate.py, the file from
export.py.  Worker processes generate and tokenise without end while the GPU trains, so no dialogue is seen twice.
"""

import json
import math
import multiprocessing
import os
import queue
import re
import time

import numpy as np
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from generate import Generator, Library
from score import SPLIT
from tools import SPECIALS, render

OUT = os.environ.get("OUT", "out")
BUDGET = float(os.environ.get("BUDGET", "420"))
PEAK = float(os.environ.get("LR", "1e-3"))
VOCABULARY = int(os.environ.get("VOCAB", "5120"))
TOKENS = int(os.environ.get("TOKENS", "49152"))
DROPOUT = float(os.environ.get("DROPOUT", "0.1"))
WORKERS = int(os.environ.get("WORKERS", "13"))
SEED = int(os.environ.get("SEED", "1"))
SHAPE = {"hidden": 384, "inner": 1024, "layers": int(os.environ.get("LAYERS", "9")), "heads": 6, "kv_heads": 2, "context": 2048, "theta": 10000.0, "epsilon": 1e-6}
LENGTH_MAX, POOL, WARMUP = 512, 16000, 400
STARTED = time.time()


def log(*words):
    print(f"[{time.time() - STARTED:6.1f}s]", *words, flush=True)


# ---- text to tokens
def sample_texts(job):
    seed, count = job
    generator = Generator(seed)
    return ["".join(piece for piece, _ in render(generator.dialogue())) for _ in range(count)]


def train_tokenizer():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(SPLIT), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=VOCABULARY, special_tokens=SPECIALS, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), show_progress=False)
    with multiprocessing.get_context("fork").Pool(WORKERS) as pool:
        texts = [text for part in pool.map(sample_texts, [(900_000 + at, 1500) for at in range(4 * WORKERS)]) for text in part]
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


class Encoder:
    """Ids of dialogues; special tokens are set by hand, so that no text can stand for one."""

    def __init__(self, tokenizer):
        self.tokenizer, self.kept = tokenizer, {}
        self.special = {token: tokenizer.token_to_id(token) for token in SPECIALS}
        self.split = re.compile("(" + "|".join(re.escape(token) for token in SPECIALS) + ")")

    def plain(self, text):
        ids = self.kept.get(text)
        if ids is None:
            ids = self.tokenizer.encode(text, add_special_tokens=False).ids
            if len(self.kept) < 20_000 and (len(text) < 16 or text.startswith("system")):
                self.kept[text] = ids
        return ids

    def dialogue(self, messages):
        ids, marks = [], []
        for role, text in messages:
            trained = role == "assistant"
            head = [self.special["<|im_start|>"]]
            if trained:
                head += self.plain("assistant\n")
                body = [id for part in self.split.split(text) if part for id in ([self.special[part]] if part in self.special else self.plain(part))]
            else:
                head += self.plain(role + "\n" + text)
                body = []
            body.append(self.special["<|im_end|>"])
            newline = self.plain("\n")
            ids += head + body + newline
            marks += [False] * len(head) + [trained] * len(body) + [False] * len(newline)
        return ids, marks


def produce(seed, tokenizer_json, out, go):
    """Fills the queue with padded batches of dialogues of like length, once the network is compiled."""
    go.wait()
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    encoder = Encoder(Tokenizer.from_str(tokenizer_json))
    generator, rng = Generator(seed, Library()), np.random.default_rng(seed)
    while True:
        rows = []
        for _ in range(POOL):
            try:
                row = encoder.dialogue(generator.dialogue())
            except Exception as error:
                print("skipped a dialogue:", repr(error), flush=True)
                continue
            if len(row[0]) <= LENGTH_MAX:
                rows.append(row)
        rows.sort(key=lambda row: len(row[0]))
        batches, at = [], 0
        while at < len(rows):
            end = at + 1
            while end < len(rows) and len(rows[end][0]) * (end + 1 - at) <= TOKENS:
                end += 1
            batches.append(rows[at:end])
            at = end
        for pick in rng.permutation(len(batches)):
            batch = batches[pick]
            if len(batch) * len(batch[-1][0]) < TOKENS // 2:
                continue
            width = (len(batch[-1][0]) + 7) // 8 * 8
            ids = np.zeros((len(batch), width), dtype=np.int16)
            marks = np.zeros((len(batch), width), dtype=bool)
            for row, (part, trained) in enumerate(batch):
                ids[row, :len(part)] = part
                marks[row, :len(part)] = trained
            out.put((ids, marks))


# ---- the network
def build(vocabulary):
    import torch
    from torch import nn
    from torch.nn import functional as F

    hidden, inner, heads, kv_heads = SHAPE["hidden"], SHAPE["inner"], SHAPE["heads"], SHAPE["kv_heads"]
    width = hidden // heads

    class Norm(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(hidden))

        def forward(self, x):
            y = x.float()
            return (y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + SHAPE["epsilon"])).to(x.dtype) * self.weight

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.attn_norm, self.ffn_norm = Norm(), Norm()
            self.q = nn.Linear(hidden, hidden)
            self.k = nn.Linear(hidden, kv_heads * width)
            self.v = nn.Linear(hidden, kv_heads * width)
            self.o = nn.Linear(hidden, hidden, bias=False)
            self.gate = nn.Linear(hidden, inner, bias=False)
            self.up = nn.Linear(hidden, inner, bias=False)
            self.down = nn.Linear(inner, hidden, bias=False)
            self.drop = nn.Dropout(DROPOUT)

        def forward(self, x, cos, sin):
            rows, length, _ = x.shape
            h = self.attn_norm(x)
            q = self.q(h).view(rows, length, heads, width).transpose(1, 2)
            k = self.k(h).view(rows, length, kv_heads, width).transpose(1, 2)
            v = self.v(h).view(rows, length, kv_heads, width).transpose(1, 2)
            q, k = turn(q, cos, sin), turn(k, cos, sin)
            k, v = (t.repeat_interleave(heads // kv_heads, dim=1) for t in (k, v))
            a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.drop(self.o(a.transpose(1, 2).reshape(rows, length, hidden)))
            h = self.ffn_norm(x)
            return x + self.drop(self.down(F.silu(self.gate(h)) * self.up(h)))

    def turn(x, cos, sin):
        a, b = x.chunk(2, dim=-1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1).to(x.dtype)

    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(vocabulary, hidden)
            self.blocks = nn.ModuleList(Block() for _ in range(SHAPE["layers"]))
            self.norm = Norm()
            self.drop = nn.Dropout(DROPOUT)
            angle = torch.outer(torch.arange(SHAPE["context"]).float(), SHAPE["theta"] ** (-torch.arange(0, width, 2).float() / width))
            self.register_buffer("cos", angle.cos(), persistent=False)
            self.register_buffer("sin", angle.sin(), persistent=False)
            for module in self.modules():
                if isinstance(module, (nn.Linear, nn.Embedding)):
                    nn.init.normal_(module.weight, std=0.02)
                if isinstance(module, nn.Linear) and module.bias is not None:
                    nn.init.zeros_(module.bias)
            for block in self.blocks:
                for last in (block.o, block.down):
                    nn.init.normal_(last.weight, std=0.02 / math.sqrt(2 * SHAPE["layers"]))

        def forward(self, ids):
            length = ids.shape[1]
            x = self.drop(self.embed(ids))
            cos, sin = self.cos[:length], self.sin[:length]
            for block in self.blocks:
                x = block(x, cos, sin)
            return self.norm(x)

    return Decoder()


def plain_weights(state):
    """Checkpoint names of export.py."""
    out = {"embed": state["embed.weight"], "norm": state["norm.weight"], "shape": np.array(json.dumps(SHAPE))}
    for layer in range(SHAPE["layers"]):
        for part in ("attn_norm", "ffn_norm", "q", "k", "v", "o", "gate", "up", "down"):
            out[f"{layer}.{part}"] = state[f"blocks.{layer}.{part}.weight"]
        for part in ("q", "k", "v"):
            out[f"{layer}.{part}_bias"] = state[f"blocks.{layer}.{part}.bias"]
    return out


def main():
    os.makedirs(OUT, exist_ok=True)
    tokenizer = train_tokenizer()
    tokenizer.save(os.path.join(OUT, "tokenizer.json"))
    log("tokenizer", tokenizer.get_vocab_size())
    context = multiprocessing.get_context("fork")
    batches, go = context.Queue(maxsize=256), context.Event()
    workers = [context.Process(target=produce, args=(SEED * 100_000 + at, tokenizer.to_str(), batches, go), daemon=True) for at in range(WORKERS)]
    for worker in workers:
        worker.start()

    import torch
    torch.manual_seed(SEED)
    torch.set_float32_matmul_precision("high")
    model = build(tokenizer.get_vocab_size()).cuda()
    log("parameters", round(sum(p.numel() for p in model.parameters()) / 1e6, 2), "M")
    wide = [p for p in model.parameters() if p.ndim >= 2]
    thin = [p for p in model.parameters() if p.ndim < 2]
    optimizer = torch.optim.AdamW([{"params": wide, "weight_decay": 0.1}, {"params": thin, "weight_decay": 0.0}], lr=PEAK, betas=(0.9, 0.95), fused=True)
    average = {name: p.detach().clone() for name, p in model.named_parameters()}
    for block in model.blocks:
        block.compile(dynamic=True)
    cache = os.environ.get("COMPILED", "")
    if cache and os.path.exists(cache):
        try:
            with open(cache, "rb") as kept:
                torch.compiler.load_cache_artifacts(kept.read())
        except Exception as error:
            log("kept code not used:", repr(error))

    def learn(ids, marks):
        # positions are found here, not on the GPU, so that nothing waits for it
        targets = np.flatnonzero(marks)
        targets = targets[targets % ids.shape[1] > 0]
        want = torch.from_numpy(ids.reshape(-1)[targets].astype(np.int64)).cuda(non_blocking=True)
        places = torch.from_numpy(targets - 1).cuda(non_blocking=True)
        x = torch.from_numpy(ids).cuda(non_blocking=True).long()
        with torch.autocast("cuda", dtype=torch.bfloat16):
            h = model(x).flatten(0, 1).index_select(0, places)
            loss = torch.nn.functional.cross_entropy((h @ model.embed.weight.to(h.dtype).T).float(), want)
        loss.backward()
        return loss

    # compiled before the workers take the cores
    for width in (64, 200, 96):
        learn(np.ones((TOKENS // width, width), dtype=np.int16), np.ones((TOKENS // width, width), dtype=bool))
        torch.cuda.synchronize()
        log("compiled for width", width)
    optimizer.zero_grad(set_to_none=True)
    go.set()
    if os.environ.get("KEEP_COMPILED"):
        try:
            with open(os.environ["KEEP_COMPILED"], "wb") as kept:
                kept.write(torch.compiler.save_cache_artifacts()[0])
        except Exception as error:
            log("compiled code not kept:", repr(error))
    step = seen = rows = starved = 0
    ids, marks = batches.get(timeout=60)
    log("first batch", ids.shape)
    start = time.time()
    budget = BUDGET or float(os.environ["UNTIL"]) - (start - STARTED)
    while True:
        part = (time.time() - start) / budget
        if part >= 1:
            break
        rate = PEAK * min(1, (step + 1) / WARMUP) * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * part)))
        for group in optimizer.param_groups:
            group["lr"] = rate
        loss = learn(ids, marks)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        step += 1
        seen += ids.size
        rows += len(ids)
        if step % 10 == 0:
            keep = min(0.98, step / (step + 100))
            with torch.no_grad():
                names = list(average)
                torch._foreach_lerp_([average[name] for name in names], [p.detach() for _, p in model.named_parameters()], 1 - keep)
        try:
            fresh = batches.get_nowait()
        except queue.Empty:
            starved += 1
            fresh = batches.get(timeout=60)
        if step % 250 == 0:
            log("step", step, "loss", round(loss.item(), 4), "Mtok/s", round(seen / 1e6 / (time.time() - start), 2), "dialogues", rows, "waited", starved, "queue", batches.qsize())
        ids, marks = fresh
    log("steps", step, "tokens", round(seen / 1e6), "M dialogues", rows)
    for worker in workers:
        worker.terminate()
    state = {name: value.float().cpu().numpy() for name, value in average.items()}
    np.savez(os.path.join(OUT, "checkpoint.npz"), **plain_weights(state))
    model.eval()
    probe = "<|im_start|>system\ntools: read_file<|im_end|>\n<|im_start|>user\nopen Cargo.toml<|im_end|>\n<|im_start|>assistant\n"
    ids = tokenizer.encode(probe, add_special_tokens=False).ids
    with torch.no_grad(), torch.compiler.set_stance("force_eager"):
        for name, p in model.named_parameters():
            p.copy_(average[name])
        logits = (model(torch.tensor([ids]).cuda())[0, -1] @ model.embed.weight.T).float().cpu().numpy()
    np.save(os.path.join(OUT, "probe.npy"), logits)
    log("saved")


if __name__ == "__main__":
    main()
