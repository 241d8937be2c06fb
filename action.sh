#!/usr/bin/env bash
# What the action runs: annotations, the comment into the job's summary, and the answer as exit code.
#
#   action.sh COALWASH
#
# BASE: the revision to hold the branch against; empty checks everything. COMMENT: "true" for the
# comment. GITHUB_STEP_SUMMARY: the file that the comment is added to.
set -euo pipefail

coalwash=$1
against=()
[ -z "${BASE:-}" ] || against=(--base "$BASE")

if [ "${COMMENT:-}" = true ] && [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
  "$coalwash" check "${against[@]}" --format markdown >>"$GITHUB_STEP_SUMMARY" || true
fi
"$coalwash" check "${against[@]}" --format github
