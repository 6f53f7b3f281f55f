#!/usr/bin/env bash
# Format all C and Python code, with the tool versions of the tests.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh test
venv=${KYMO_BUILD:-$PWD/build}/venv/bin
find . -name 'build*' -prune -o -name '*.[ch]' -print0 | xargs -0 "$venv/clang-format" -i
"$venv/ruff" check -q --fix . || true
"$venv/ruff" format -q .
"$venv/ruff" check .
