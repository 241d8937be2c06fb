#!/usr/bin/env bash
# The fidelity gate on the texts of this repository: recall, false alarms, names and families.
#
#   benches/fidelity.sh [CASES-PER-CLASS [SEED]]     24 and 1 where none are given
#
# Needs python3 and a release build. Fails below the limits at the end of the file.
set -euo pipefail
cd "$(dirname "$0")/.."

per_class=${1:-24}
seed=${2:-1}
binary=$PWD/target/release/coalwash
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
run="$binary gate --batch {cases} --json"

cd benches/fidelity
python3 check_labels.py | tail -n 1 || true
python3 make_cases.py --src texts --out "$scratch/cases.jsonl" --per-class "$per_class" --seed "$seed" | tail -n 1
python3 score.py "$scratch/cases.jsonl" --batch "$run" --name coalwash \
  --min-recall 99 --min-class-recall 95 --max-fpr 3 --min-named 90
python3 families.py "$scratch/cases.jsonl" --batch "$run"

echo
echo "Wording that no list was made from (unseen/cases.jsonl):"
python3 score.py unseen/cases.jsonl --batch "$run" --name coalwash --min-recall 97 | tail -n 3
