"""Checks that the GGUF file answers as the trained network did: `python3 probe.py MODEL.gguf probe.npy`."""

import sys

import numpy as np

from score import Model
from tools import prompt

model = Model(sys.argv[1])
want = np.load(sys.argv[2])
got = model.forward(model.encode(prompt([("system", "tools: read_file"), ("user", "open Cargo.toml")])), [])
print("largest difference of logits", float(np.abs(got - want).max()), "scale", float(np.abs(want).max()), "same first", int(got.argmax()) == int(want.argmax()))
