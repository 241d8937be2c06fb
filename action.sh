#!/usr/bin/env bash
# What the action runs: the comment of the pull request, annotations, and the answer as exit code.
#
#   action.sh COALWASH
#
# BASE: the revision to hold the branch against; empty checks everything. COMMENT: "true" for the
# comment. GITHUB_STEP_SUMMARY: the file that it is added to. With PULL_REQUEST (its number),
# GITHUB_REPOSITORY and GH_TOKEN it is written to the pull request, too: one comment, which is edited
# in place, and deleted when there is nothing to say. DIFF: "true" for what a rewrite lost, too; a
# commit's trailer `Coalwash-Ok: FILE:LINE` accepts it.
set -euo pipefail

coalwash=$1
against=()
[ -z "${BASE:-}" ] || against=(--base "$BASE")

# An empty array is unbound to bash before 4.4.
check() {
  "$coalwash" check ${against[@]+"${against[@]}"} --format "$1"
}

# What a rewrite lost, where that is asked for and there is a branch to hold it against.
rewrite() {
  [ "${DIFF:-}" != true ] || [ -z "${BASE:-}" ] || "$coalwash" diff ${against[@]+"${against[@]}"} --format "$1"
}

mark='<!-- coalwash check -->'

# Writes, edits or deletes the comment. Only a bot's is taken for ours: anyone can write the mark.
comment() {
  local text=$1 all="repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments"
  local one="repos/$GITHUB_REPOSITORY/issues/comments" ids id
  ids=$(gh api --paginate "$all" --jq \
    ".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$mark\"))) | .id") || return
  id=${ids%%$'\n'*}
  if [ -n "$text" ]; then
    local method=POST place=$all
    [ -z "$id" ] || method=PATCH place="$one/$id"
    printf '%s\n%s\n' "$mark" "$text" |
      gh api --silent --method "$method" "$place" --field body=@- || return
  elif [ -n "$id" ]; then
    gh api --silent --method DELETE "$one/$id" || return
  fi
}

if [ "${COMMENT:-}" = true ]; then
  status=0
  text=$(check markdown) || status=$?
  lost=$(rewrite markdown) || true
  [ -z "$lost" ] || text=${text:+$text$'\n\n'}$lost
  # Nothing to say is an answer only where there was one.
  if [ $status -le 1 ] || { [ $status -eq 2 ] && [ -n "$text" ]; }; then
    if [ -n "$text" ] && [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
      printf '%s\n' "$text" >>"$GITHUB_STEP_SUMMARY"
    fi
    if [ -n "${PULL_REQUEST:-}" ] && [ -n "${GH_TOKEN:-}" ] && ! comment "$text"; then
      echo "No comment was written: it needs \`permissions: { pull-requests: write }\`, which a" \
        "pull request from a fork doesn't get."
    fi
  fi
fi

checked=0
check github || checked=$?
rewrite github || { lost=$?; [ $checked -ne 0 ] || checked=$lost; }
exit $checked
