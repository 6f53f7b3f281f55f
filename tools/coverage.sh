#!/usr/bin/env bash
# How much of src/ the tests execute, by gcov: `tools/coverage.sh [pytest arguments]`.
#
# Builds with counters in build-coverage/, runs the C tests there and the given Python tests
# (default: those of tests/cli; `tests --long 0/1` for what ./test.sh runs), and prints how
# many lines and branches were executed; those of each file are in build-coverage/html/index.html.
# Counters add up over the runs until the folder build-coverage/ is removed.  A killed process
# writes none, so code that runs up to a SIGKILL counts only if other tests reach it.  Programs that
# run as another user cannot write theirs and print an error: their tests fail here, as do tests of
# output that depends on speed.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/lib.sh
[ $# -gt 0 ] || set -- tests/cli

tools/setup.sh test
venv=${KYMO_BUILD:-$PWD/build}/venv/bin
[ -x "$venv/gcovr" ] || "$venv/pip" install -q --disable-pip-version-check 'gcovr>=8,<9'

packages=$(dirname "$(dirname "$venv")")/test-packages
export KYMO_BUILD=$PWD/build-coverage
mkdir -p "$KYMO_BUILD"
ln -sfn "$packages" "$KYMO_BUILD/test-packages" # what programs under test import
say "building in $KYMO_BUILD"
CC=gcc build_into "$KYMO_BUILD" -DKYMO_BUILD_TESTS=ON -DKYMO_COVERAGE=ON -DCMAKE_BUILD_TYPE=Debug

say "C tests"
run_ctest "$KYMO_BUILD"
say "Python tests: $*"
"$venv/python" -m pytest -q -n 2 --dist worksteal --junitxml "$KYMO_BUILD/pytest.xml" "$@" || true
add $(python3 tools/count_tests.py pytest "$KYMO_BUILD/pytest.xml")

say "of src/"
mkdir -p "$KYMO_BUILD/html"
"$venv/gcovr" --root . --filter src/ --gcov-ignore-parse-errors=all \
	--gcov-ignore-errors=source_not_found -j 2 --print-summary \
	--html-nested "$KYMO_BUILD/html/index.html" "$KYMO_BUILD"
finish
