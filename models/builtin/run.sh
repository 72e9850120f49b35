#!/bin/sh
# Trains, exports, checks and scores; the recipe of the committed weights.
# OUT: results; BUDGET: seconds of training; SETS: .jsonl files to score.
set -e
cd "$(dirname "$0")"
export PYTHONUNBUFFERED=1
WORK=${WORK:-/tmp/builtin}
mkdir -p "$WORK" "$OUT"
RESULT=$OUT
OUT=$WORK python3 train.py
python3 export.py "$WORK/checkpoint.npz" "$WORK/tokenizer.json" "$WORK/windlass-builtin.gguf"
python3 probe.py "$WORK/windlass-builtin.gguf" "$WORK/probe.npy"
split -b 15000000 -d "$WORK/windlass-builtin.gguf" "$RESULT/windlass-builtin.gguf."
cp "$WORK/tokenizer.json" "$RESULT/"
for set in $SETS; do
  WORKERS=${SCORERS:-15} python3 score.py "$WORK/windlass-builtin.gguf" "$set" --show
done
