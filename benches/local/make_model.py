"""Makes model files for measuring: random weights of the Qwen2 architecture, 0.13 billion of them, as Q8_0 and Q4_0.

Speed does not depend on what weights say. The tokenizer is a real one, trained on this project's own text, so that
both sides read the same prompt: `make_model.py FOLDER CHECKOUT`.
"""

import pathlib
import sys

import numpy as np
from gguf import GGMLQuantizationType, GGUFWriter, LlamaFileType, TokenType, quants
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

WIDTH, LAYERS, HEADS, HEADS_KV, FORWARD, VOCABULARY, CONTEXT = 768, 14, 12, 4, 2560, 32_000, 4096
PROMPT_TOKENS = 512
CUT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
RESERVED = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
KINDS = {
    "q8_0": (GGMLQuantizationType.Q8_0, LlamaFileType.MOSTLY_Q8_0),
    "q4_0": (GGMLQuantizationType.Q4_0, LlamaFileType.MOSTLY_Q4_0),
}


def train(checkout: pathlib.Path) -> tuple[Tokenizer, str]:
    """A tokenizer of byte pairs, and the text that it was trained on."""
    files = sorted([*checkout.glob("docs/*.md"), *checkout.glob("crates/*/src/*.rs")])
    text = "\n".join(file.read_text() for file in files)
    tokenizer = Tokenizer(models.BPE())
    cut = pre_tokenizers.Split(Regex(CUT), "isolated")
    letters = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([cut, letters])
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY - len(RESERVED), initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(text.splitlines(keepends=True), trainer)
    return tokenizer, text


def write(path: pathlib.Path, tokenizer: Tokenizer, kind: GGMLQuantizationType, file_type: LlamaFileType) -> None:
    writer = GGUFWriter(path, "qwen2")
    writer.add_name("random")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS_KV)
    writer.add_rope_freq_base(1_000_000.0)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_file_type(file_type)
    add_tokens(writer, tokenizer)
    random = np.random.default_rng(7)

    def add(name: str, rows: int, columns: int) -> None:
        weights = random.standard_normal((rows, columns), dtype=np.float32) * 0.03
        if name == "token_embd":
            # Ends are never the likeliest token: an answer is as long as it is asked to be.
            weights[VOCABULARY - len(RESERVED) :] = 0.0
        writer.add_tensor(f"{name}.weight", quants.quantize(weights, kind), raw_dtype=kind)

    def add_vector(name: str, length: int, value: float) -> None:
        writer.add_tensor(name, np.full(length, value, dtype=np.float32))

    add("token_embd", VOCABULARY, WIDTH)
    add_vector("output_norm.weight", WIDTH, 1.0)
    side = WIDTH // HEADS * HEADS_KV
    for layer in range(LAYERS):
        block = f"blk.{layer}"
        add_vector(f"{block}.attn_norm.weight", WIDTH, 1.0)
        add_vector(f"{block}.ffn_norm.weight", WIDTH, 1.0)
        for name, rows in [("attn_q", WIDTH), ("attn_k", side), ("attn_v", side)]:
            add(f"{block}.{name}", rows, WIDTH)
            add_vector(f"{block}.{name}.bias", rows, 0.01)
        add(f"{block}.attn_output", WIDTH, WIDTH)
        add(f"{block}.ffn_gate", FORWARD, WIDTH)
        add(f"{block}.ffn_up", FORWARD, WIDTH)
        add(f"{block}.ffn_down", WIDTH, FORWARD)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def add_tokens(writer: GGUFWriter, tokenizer: Tokenizer) -> None:
    vocabulary = tokenizer.get_vocab()
    tokens = [word for word, _ in sorted(vocabulary.items(), key=lambda entry: entry[1])]
    kinds = [TokenType.NORMAL] * len(tokens)
    while len(tokens) < VOCABULARY - len(RESERVED):
        kinds.append(TokenType.UNUSED)
        tokens.append(f"[PAD{len(tokens)}]")
    tokens += RESERVED
    kinds += [TokenType.CONTROL] * len(RESERVED)
    merges = [" ".join(merge) for merge in pairs(tokenizer)]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges(merges)
    writer.add_bos_token_id(tokens.index("<|endoftext|>"))
    writer.add_eos_token_id(tokens.index("<|im_end|>"))
    writer.add_add_bos_token(False)
    writer.add_chat_template(
        "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}"
        "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
    )


def pairs(tokenizer: Tokenizer) -> list[list[str]]:
    import json

    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    return [merge.split(" ") if isinstance(merge, str) else merge for merge in merges]


def main() -> None:
    folder, checkout = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer, text = train(checkout)
    prompt = tokenizer.decode(tokenizer.encode(text).ids[:PROMPT_TOKENS])
    (folder / "prompt.txt").write_text(prompt)
    for name, (kind, file_type) in KINDS.items():
        write(folder / f"random-{name}.gguf", tokenizer, kind, file_type)
        print(f"random-{name}.gguf made")


main()
