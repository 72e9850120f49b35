"""GGUF files of the built-in model: a small writer and a small reader (F32 and Q8_0).

Owns the container's bytes; knows nothing of training or decoding.
"""

import struct

import numpy as np

MAGIC, VERSION, ALIGNMENT = b"GGUF", 3, 32
U32, F32, BOOL, STRING, ARRAY, I32, U64 = 4, 6, 7, 8, 9, 5, 10
TYPE_F32, TYPE_Q8_0, BLOCK = 0, 8, 32


def pack_string(text):
    data = text.encode("utf-8")
    return struct.pack("<Q", len(data)) + data


def pack_value(value):
    if isinstance(value, bool):
        return struct.pack("<I?", BOOL, value)
    if isinstance(value, int):
        return struct.pack("<II", U32, value)
    if isinstance(value, float):
        return struct.pack("<If", F32, value)
    if isinstance(value, str):
        return struct.pack("<I", STRING) + pack_string(value)
    if value and isinstance(value[0], str):
        return struct.pack("<IIQ", ARRAY, STRING, len(value)) + b"".join(pack_string(item) for item in value)
    return struct.pack("<IIQ", ARRAY, I32, len(value)) + struct.pack(f"<{len(value)}i", *value)


def quantise(matrix):
    """Rows of blocks of 32: one half-precision scale and 32 signed bytes."""
    blocks = np.ascontiguousarray(matrix, dtype=np.float32).reshape(-1, BLOCK)
    scale = np.abs(blocks).max(axis=1, keepdims=True) / 127.0
    scale16 = scale.astype(np.float16)
    inverse = np.where(scale16 > 0, 1.0 / np.maximum(scale16.astype(np.float32), 1e-30), 0.0)
    quants = np.clip(np.rint(blocks * inverse), -127, 127).astype(np.int8)
    out = np.empty((len(blocks), 2 + BLOCK), dtype=np.uint8)
    out[:, :2] = scale16.view(np.uint8).reshape(-1, 2)
    out[:, 2:] = quants.view(np.uint8)
    return out.tobytes()


def write(path, metadata, tensors):
    """tensors: [(name, array)]; matrices become Q8_0, vectors stay F32."""
    head = MAGIC + struct.pack("<IQQ", VERSION, len(tensors), len(metadata))
    for key, value in metadata.items():
        head += pack_string(key) + pack_value(value)
    bodies, offset, table = [], 0, b""
    for name, array in tensors:
        matrix = array.ndim == 2
        body = quantise(array) if matrix else np.ascontiguousarray(array, dtype=np.float32).tobytes()
        table += pack_string(name) + struct.pack("<I", array.ndim)
        table += b"".join(struct.pack("<Q", size) for size in reversed(array.shape))
        table += struct.pack("<IQ", TYPE_Q8_0 if matrix else TYPE_F32, offset)
        body += b"\0" * (-len(body) % ALIGNMENT)
        bodies.append(body)
        offset += len(body)
    head += table
    head += b"\0" * (-len(head) % ALIGNMENT)
    with open(path, "wb") as out:
        out.write(head)
        for body in bodies:
            out.write(body)


class Reader:
    """Metadata and dequantised tensors of a file."""

    def __init__(self, path):
        with open(path, "rb") as source:
            self.data = source.read()
        self.at = 0
        if self.take(4) != MAGIC:
            raise ValueError(f"{path} is not a GGUF file")
        _, tensors, pairs = self.unpack("<IQQ")
        self.metadata = {}
        for _ in range(pairs):
            key = self.string()
            self.metadata[key] = self.value(self.unpack("<I")[0])
        entries = []
        for _ in range(tensors):
            name = self.string()
            sizes = [self.unpack("<Q")[0] for _ in range(self.unpack("<I")[0])]
            kind, offset = self.unpack("<IQ")
            entries.append((name, tuple(reversed(sizes)), kind, offset))
        start = self.at + (-self.at % ALIGNMENT)
        self.tensors = {name: self.tensor(shape, kind, start + offset) for name, shape, kind, offset in entries}

    def take(self, count):
        self.at += count
        return self.data[self.at - count:self.at]

    def unpack(self, form):
        return struct.unpack(form, self.take(struct.calcsize(form)))

    def string(self):
        return self.take(self.unpack("<Q")[0]).decode("utf-8")

    def value(self, kind):
        if kind == ARRAY:
            inner, count = self.unpack("<IQ")
            return [self.value(inner) for _ in range(count)]
        if kind == STRING:
            return self.string()
        return self.unpack({U32: "<I", I32: "<i", F32: "<f", BOOL: "<?", U64: "<Q"}[kind])[0]

    def tensor(self, shape, kind, start):
        count = int(np.prod(shape))
        if kind == TYPE_F32:
            return np.frombuffer(self.data, np.float32, count, start).reshape(shape)
        raw = np.frombuffer(self.data, np.uint8, count // BLOCK * (BLOCK + 2), start).reshape(-1, BLOCK + 2)
        scale = raw[:, :2].copy().view(np.float16).astype(np.float32)
        return (raw[:, 2:].view(np.int8).astype(np.float32) * scale).reshape(shape)
