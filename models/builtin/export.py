"""Writes the trained weights as a GGUF file: `python3 export.py CHECKPOINT.npz TOKENIZER.json OUT.gguf`.

Owns names and metadata of the file; knows nothing of training.
"""

import json
import sys

import numpy as np

import gguf_file
from tools import SPECIALS

CONTROL, NORMAL = 3, 1
TEMPLATE = (
    "{%- if tools %}{{ '<|im_start|>system\\ntools: ' ~ (tools | map(attribute='function.name') | sort | join(' ')) ~ '<|im_end|>\\n' }}{% endif -%}"
    "{%- for message in messages %}"
    "{%- if message.role == 'assistant' and message.tool_calls %}"
    "{%- for call in message.tool_calls %}"
    "{%- set f = call.function if call.function else call %}"
    "{{- '<|im_start|>assistant\\n<tool_call>{\"name\":\"' ~ f.name ~ '\",\"arguments\":' }}"
    "{%- if f.arguments is string %}{{ f.arguments }}"
    "{%- else %}{{- '{' }}{%- for key, value in f.arguments | items %}{{- '\"' ~ key ~ '\":' }}{{- value | tojson }}{%- if not loop.last %}{{- ',' }}{%- endif %}{%- endfor %}{{- '}' }}"
    "{%- endif %}{{- '}</tool_call><|im_end|>\\n' }}"
    "{%- endfor %}"
    "{%- elif message.role != 'system' or not tools %}{{- '<|im_start|>' ~ message.role ~ '\\n' ~ message.content ~ '<|im_end|>\\n' }}"
    "{%- endif %}{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"
)


def metadata(shape, tokenizer):
    vocabulary = tokenizer["model"]["vocab"]
    tokens = sorted(vocabulary, key=vocabulary.get)
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in tokenizer["model"]["merges"]]
    return {
        "general.architecture": "qwen2",
        "general.name": "Windlass built-in",
        "general.license": "MIT OR Apache-2.0",
        "general.alignment": gguf_file.ALIGNMENT,
        "general.file_type": 7,
        "general.quantization_version": 2,
        "qwen2.block_count": shape["layers"],
        "qwen2.context_length": shape["context"],
        "qwen2.embedding_length": shape["hidden"],
        "qwen2.feed_forward_length": shape["inner"],
        "qwen2.attention.head_count": shape["heads"],
        "qwen2.attention.head_count_kv": shape["kv_heads"],
        "qwen2.rope.freq_base": float(shape["theta"]),
        "qwen2.attention.layer_norm_rms_epsilon": float(shape["epsilon"]),
        "qwen2.vocab_size": len(tokens),
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "qwen2",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [CONTROL if token in SPECIALS else NORMAL for token in tokens],
        "tokenizer.ggml.merges": merges,
        "tokenizer.ggml.eos_token_id": vocabulary["<|im_end|>"],
        "tokenizer.ggml.bos_token_id": vocabulary["<|endoftext|>"],
        "tokenizer.ggml.padding_token_id": vocabulary["<|endoftext|>"],
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.chat_template": TEMPLATE,
    }


def tensors(weights, shape):
    yield "token_embd.weight", weights["embed"]
    for layer in range(shape["layers"]):
        for part, name in (("attn_norm", "attn_norm.weight"), ("q", "attn_q.weight"), ("q_bias", "attn_q.bias"), ("k", "attn_k.weight"),
                           ("k_bias", "attn_k.bias"), ("v", "attn_v.weight"), ("v_bias", "attn_v.bias"), ("o", "attn_output.weight"),
                           ("ffn_norm", "ffn_norm.weight"), ("gate", "ffn_gate.weight"), ("up", "ffn_up.weight"), ("down", "ffn_down.weight")):
            yield f"blk.{layer}.{name}", weights[f"{layer}.{part}"]
    yield "output_norm.weight", weights["norm"]


def export(checkpoint, tokenizer_path, out):
    weights = dict(np.load(checkpoint))
    shape = json.loads(str(weights.pop("shape")))
    with open(tokenizer_path, encoding="utf-8") as source:
        tokenizer = json.load(source)
    gguf_file.write(out, metadata(shape, tokenizer), [(name, np.asarray(array, dtype=np.float32)) for name, array in tensors(weights, shape)])


if __name__ == "__main__":
    export(*sys.argv[1:4])
