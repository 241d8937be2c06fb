#!/usr/bin/env bash
# Measures whole commands of the release build and prints a Markdown table: medians of one run, in
# which the commands that are compared take turns.
#
#   benches/compare.sh [FOLDER]
#
# The data is made from a fixed seed in FOLDER (default: a new temporary folder, deleted at the
# end). It takes about 1 GB and 100,000 files for a few minutes, and python3. A figure whose peer
# isn't installed (node) is given as n/a.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo build --release --locked --quiet
if [ $# -gt 0 ]; then
  data=$1
  mkdir -p "$data"
else
  data=$(mktemp -d)
  trap 'rm -rf "$data"' EXIT
fi
python3 benches/data.py "$data"
python3 benches/measure.py "$data" target/release/coalwash
