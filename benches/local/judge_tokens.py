"""Makes vocabularies and lets llama.cpp read texts with them: `judge_tokens.py FOLDER CHECKOUT [VOCABULARY.gguf ...]`.

With `--fixture CHECKOUT` it writes the small fixture of the ordinary tests instead.

For every rule of cutting words there is a vocabulary of pairs that knows no words, so that a cut at the wrong place
shows, and one that was trained on this project's text. Vocabularies of others are copied into files that both sides
open. Beside each `NAME.gguf` lies `NAME.gguf.tokens`: one text a line, with its tokens and what they write.
"""

import ctypes
import json
import pathlib
import random
import sys
import tempfile
import unicodedata

import gguf
import llama_cpp
import numpy as np
import texts
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

# Rules that differ, and other names of theirs.
RULES = ["gpt-2", "llama-bpe", "qwen2", "smollm", "tekken", "seed-coder", "deepseek-coder", "default"]
NAMES = ["", "phi-2", "mellum", "trillion", "gigachat", "a.x-4.0", "starcoder", "refact", "minerva-7b", "deepseek-r1-qwen", "megrez"]
NAMES += ["kormo", "llama3", "llama-v3", "falcon3", "pixtral", "midm-2.0", "smaug-bpe", "dbrx"]
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, BYTE = 1, 2, 3, 4, 6


def alphabet() -> list[str]:
    """The letter of every byte."""
    own = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [byte for byte in range(256) if byte not in own]
    letters = {byte: chr(byte) for byte in own} | {byte: chr(256 + at) for at, byte in enumerate(rest)}
    return [letters[byte] for byte in range(256)]


def pairs() -> tuple[list[str], list[str]]:
    """Any two bytes may be merged, and many fours, in an order of chance."""
    dice, letters = random.Random(11), alphabet()
    twos = [(left, right) for left in letters for right in letters]
    dice.shuffle(twos)
    joined = ["".join(pair) for pair in twos]
    fours = {(dice.choice(joined), dice.choice(joined)) for _ in range(20_000)}
    merges = [*twos, *sorted(fours)]
    words = [*letters, *dict.fromkeys("".join(pair) for pair in merges)]
    return words, [" ".join(pair) for pair in merges]


def trained(own_texts: list[str], size: int, whole_words: int) -> tuple[list[str], list[str]]:
    """Pairs that were trained on texts that nobody cut; and a few whole words that no merge makes."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    trainer = trainers.BpeTrainer(
        vocab_size=size, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False, max_token_length=8
    )
    tokenizer.train_from_iterator(own_texts, trainer)
    model = json.loads(tokenizer.to_str())["model"]
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"]]
    words = sorted(model["vocab"], key=model["vocab"].get)
    letters, known = alphabet(), set(words)
    for text in own_texts:
        for word in text.split(" "):
            name = "".join(letters[byte] for byte in f" {word}".encode())
            if whole_words > 0 and word.isalpha() and name not in known and len(word) > 3:
                words.append(name)
                known.add(name)
                whole_words -= 1
    return words, merges


def write(path: pathlib.Path, model: str, rule: str, words: list[str], kinds: list[int], *, merges=None, scores=None, more=None) -> None:
    """A file with a vocabulary, and as much of a model as it takes to be one."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(64)
    writer.add_embedding_length(2)
    writer.add_block_count(1)
    writer.add_feed_forward_length(2)
    writer.add_head_count(1)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tokenizer_model(model)
    if rule:
        writer.add_tokenizer_pre(rule)
    writer.add_token_list(words)
    writer.add_token_types(kinds)
    if merges is not None:
        writer.add_token_merges(merges)
    if scores is not None:
        writer.add_token_scores(scores)
    for key, value in (more or {}).items():
        writer.add_bool(key, value) if isinstance(value, bool) else writer.add_uint32(key, value)
    writer.add_tensor("token_embd.weight", np.zeros((len(words), 2), dtype=np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def copy(source: pathlib.Path, path: pathlib.Path) -> dict[str, object]:
    """The vocabulary of another file, whatever model it is of."""
    fields = gguf.GGUFReader(source).fields
    have = {name.removeprefix("tokenizer.ggml."): field.contents() for name, field in fields.items() if name.startswith("tokenizer.ggml.")}
    more = {f"tokenizer.ggml.{name}": have[name] for name in ("bos_token_id", "eos_token_id", "add_space_prefix") if name in have}
    kinds = have.get("token_type") or [NORMAL] * len(have["tokens"])
    write(path, have["model"], have.get("pre", ""), have["tokens"], kinds, merges=have.get("merges"), scores=have.get("scores"), more=more)
    has_prefix = have["model"] == "llama" and have.get("add_space_prefix", True)
    return {"kinds": kinds, "words": have["tokens"], "model": have["model"], "has_prefix": has_prefix}


def piece_of(llama: llama_cpp.Llama, token: int) -> bytes:
    """What a token writes; the binding's own way ends at 32 bytes."""
    room = ctypes.create_string_buffer(1024)
    length = llama_cpp.llama_token_to_piece(llama._model.vocab, token, room, len(room), 0, True)
    return room.raw[:length]


def judge(path: pathlib.Path, plain: list[str], trusted: list[str], *, has_prefix: bool = False) -> int:
    """Lets llama.cpp read all texts; text of others never holds a reserved token. A space that it put before a text is taken off again."""
    llama = llama_cpp.Llama(str(path), vocab_only=True, verbose=False)
    with path.with_name(path.name + ".tokens").open("w") as out:
        for text, is_trusted in [*((text, False) for text in plain), *((text, True) for text in trusted)]:
            tokens = llama.tokenize(text.encode(), add_bos=False, special=is_trusted)
            written = b"".join(piece_of(llama, token) for token in tokens).decode(errors="replace")
            written = written.removeprefix(" ") if has_prefix else written
            out.write(json.dumps({"text": text, "trusted": is_trusted, "tokens": tokens, "written": written}) + "\n")
    return len(plain) + len(trusted)


def pieces(own_texts: list[str], size: int) -> tuple[list[str], list[float], list[int]]:
    """A vocabulary of pieces with scores, many of them the same: then the leftmost pair comes first."""
    tokenizer = Tokenizer(models.BPE())
    trainer = trainers.BpeTrainer(vocab_size=size, show_progress=False, max_token_length=6)
    tokenizer.train_from_iterator([text.replace(" ", "\u2581") for text in own_texts], trainer)
    model = json.loads(tokenizer.to_str())["model"]
    found = [word for word in sorted(model["vocab"], key=model["vocab"].get) if word not in ("\n", "\r", "\t") and "\0" not in word]
    bytes_of = [f"<0x{byte:02X}>" for byte in range(256)]
    words = ["<unk>", "<s>", "</s>", *bytes_of, *found]
    scores = [0.0] * 259 + [-float(at // 5) for at in range(len(found))]
    return words, scores, [UNKNOWN, CONTROL, CONTROL] + [BYTE] * 256 + [NORMAL] * len(found)


def write_fixture(checkout: pathlib.Path) -> None:
    """What the ordinary tests know: a few texts, and what llama.cpp makes of them with a small vocabulary."""
    folder = checkout / "fixtures" / "local" / "tokens"
    folder.mkdir(parents=True, exist_ok=True)
    dice = random.Random(5)
    own = [*texts.WRITTEN, *texts.of_chance(24, dice)]
    words, merges = trained([*own, *texts.of_checkout(checkout, 200, dice)], 700, 24)
    (folder / "vocabulary.json").write_text(json.dumps({"words": words, "merges": merges}, ensure_ascii=False) + "\n")

    def write_verdict(name: str, path: pathlib.Path) -> None:
        llama = llama_cpp.Llama(str(path), vocab_only=True, verbose=False)
        lines = [json.dumps([text, llama.tokenize(text.encode(), add_bos=False, special=False)]) for text in own if is_agreed(name, text)]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")

    with tempfile.TemporaryDirectory() as place:
        for rule in RULES:
            path = pathlib.Path(place) / f"{rule}.gguf"
            write(path, "gpt2", rule, words + texts.RESERVED, [NORMAL] * len(words) + [CONTROL] * len(texts.RESERVED), merges=merges)
            write_verdict(rule, path)
        words, scores, kinds = pieces(own, 600)
        (folder / "pieces.json").write_text(json.dumps({"words": words, "scores": scores, "kinds": kinds}, ensure_ascii=False) + "\n")
        path = pathlib.Path(place) / "pieces.gguf"
        write(path, "llama", "", words, kinds, scores=scores)
        write_verdict("pieces", path)


def is_agreed(rule: str, text: str) -> bool:
    """Where llama.cpp only comes near a published rule, for want of Unicode in its regular expressions, it is no judge.

    Mistral's rule it has for the capitals of ASCII and without marks; for DeepSeek's, blanks beyond ASCII are one and the same.
    """
    if rule == "tekken":
        return not any(ord(letter) > 127 and unicodedata.category(letter) in ("Lu", "Lt", "Ll", "Mn", "Mc", "Me") for letter in text)
    if rule == "deepseek-coder":
        return not any(ord(letter) > 127 and letter.isspace() for letter in text)
    return True


def main() -> None:
    if sys.argv[1] == "--fixture":
        write_fixture(pathlib.Path(sys.argv[2]))
        return
    folder, checkout = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    every, dice = texts.all_texts(checkout), random.Random(3)
    # Some rules take llama.cpp a hundredth of a second for every text.
    thinned = [*every[:2000], *every[2000::5]]
    trusted = texts.with_reserved(dice, texts.RESERVED, 200)
    kinds_of = {"trained": trained(every[:2500], 6000, 300), "pairs": pairs()}
    for kind, (words, merges) in kinds_of.items():
        kinds = [NORMAL] * len(words) + [CONTROL] * len(texts.RESERVED)
        for rule in [*RULES, *NAMES] if kind == "trained" else RULES:
            path = folder / f"{kind}-{rule or 'none'}.gguf"
            write(path, "gpt2", rule, words + texts.RESERVED, kinds, merges=merges)
            plain = every if kind == "pairs" else thinned if rule in RULES else every[:500]
            agreed = [[text for text in some if is_agreed(rule, text)] for some in (plain, trusted)]
            print(f"{path.name}: {judge(path, *agreed)} texts", flush=True)
    words, scores, kinds = pieces(every[:2500], 3000)
    path = folder / "trained-pieces.gguf"
    write(path, "llama", "", words, kinds, scores=scores)
    print(f"{path.name}: {judge(path, [text for text in thinned if '<s>' not in text and '</s>' not in text], [], has_prefix=True)} texts", flush=True)
    for source in map(pathlib.Path, sys.argv[3:]):
        path = folder / f"copy-{source.name.removeprefix('ggml-vocab-')}"
        have = copy(source, path)
        names = [word for word, kind in zip(have["words"], have["kinds"], strict=True) if kind in (CONTROL, USER_DEFINED) and word.strip("<>[]| ▁\t\n")]
        plain = [text for text in thinned if not any(name in text for name in names)]
        # Names that are no text to llama.cpp but bytes are not written by any template.
        letters = [name for name in names if not name.isascii() and name[0] not in "<["]
        names = [name for name in names if name not in letters]
        # A word of pieces gets a space behind a reserved token too, by llama.cpp; a template says itself where it wants one.
        trusted = texts.with_reserved(dice, names[:200], 200) if names and have["model"] == "gpt2" else []
        trusted = [text for text in trusted if not any(letter in text for letter in letters)]
        print(f"{path.name}: {judge(path, plain, trusted, has_prefix=have['has_prefix'])} texts", flush=True)


if __name__ == "__main__":
    main()
