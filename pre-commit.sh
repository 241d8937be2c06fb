#!/usr/bin/env bash
# What pre-commit runs: coalwash, built once in pre-commit's own copy of this repository.
#
#   pre-commit.sh ARGUMENTS OF COALWASH
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
binary=$here/target/release/coalwash
if [ ! -x "$binary" ]; then
  echo "Building coalwash, once for this revision" >&2
  cargo build --release --locked --quiet --package coalwash \
    --manifest-path "$here/Cargo.toml" --target-dir "$here/target" >&2
fi
exec "$binary" "$@"
