#!/bin/sh
# Trains, exports, checks and scores: the recipe of the committed weights.
# OUT: folder of the results; BUDGET: seconds of training; SETS: .jsonl files to score.
set -e
cd "$(dirname "$0")"
export PYTHONUNBUFFERED=1
export OUT="${OUT:-out}"
mkdir -p "$OUT"
python3 train.py
python3 export.py "$OUT/checkpoint.npz" "$OUT/tokenizer.json" "$OUT/windlass-builtin.gguf"
python3 probe.py "$OUT/windlass-builtin.gguf" "$OUT/probe.npy"
for set in $SETS; do
  python3 score.py "$OUT/windlass-builtin.gguf" "$set"
done
