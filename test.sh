#!/usr/bin/env bash
# Build Kymo and run every test.  Sets up what it needs on Debian and Ubuntu.
#
#   ./test.sh [--quick | --core | --all] [--long K/N] [--only PATTERN] [--shared | --alone]
#
#   --quick          leave out the tests marked slow
#   --core           only the C tests and those of tests/core.txt, which need few packages
#   --long K/N       also part K of N of the tests marked long
#   --all            also all of these, and demo and core tests in bare roots of Debian's releases
#   --only PATTERN   only tests whose name contains PATTERN, and no checks of style
#   --alone          only the Python tests that measure, one at a time; --shared: all but these
set -euo pipefail
cd "$(dirname "$0")"
. tools/lib.sh

quick=()
only=
job=test
files=()
has_releases=
long=0/1
phases=(shared alone)
while [ $# -gt 0 ]; do
	case $1 in
	--quick) quick=(--quick) ;;
	--core) job=core && mapfile -t files < <(grep -v '^#' tests/core.txt) ;;
	--long) long=${2:?"--long needs K/N"} && shift ;;
	--all) has_releases=yes long=1/1 ;;
	--only) only=${2:?"--only needs a pattern"} && shift ;;
	--shared | --alone) phases=(${1#--}) ;;
	-h | --help) sed -n '2,11s/^# \{0,1\}//p' "$0" && exit ;;
	*) echo "test.sh: unknown option '$1'; see ./test.sh --help" >&2 && exit 2 ;;
	esac
	shift
done

export KYMO_BUILD=${KYMO_BUILD:-$PWD/build}
unset PYTHONDONTWRITEBYTECODE # compiling the same modules in thousands of processes takes minutes
venv=$KYMO_BUILD/venv/bin
started=$SECONDS

tools/setup.sh $job
say "building in $KYMO_BUILD"
built=yes
configure_into "$KYMO_BUILD" -DKYMO_BUILD_TESTS=ON -DKYMO_WERROR="${KYMO_WERROR:-OFF}" || built=
if [ -n "$built" ]; then # it is known which interpreters there are; fetching is mostly waiting
	background targets tools/setup_targets.sh $job
	run_ninja "$KYMO_BUILD" || built=
fi
if [ -z "$built" ]; then
	add 0 1 0
	finish
fi

# Programs under test write no byte code, which would be in the way of other tests; what most of
# them import is compiled once.
compile_modules() {
	local version python
	while read -r version python; do
		"$python" -m compileall -q "$KYMO_BUILD/python/kymo" \
			"$KYMO_BUILD/test-packages/$version"/{coverage,greenlet} >/dev/null || true
	done <"$KYMO_BUILD/python/interpreters.txt"
}

# Tests of the mark `alone` compare CPU times: what others do on the machine is in these.  The
# others wait for a tenth of their time or more, so there is one more of them than processors,
# but not with --shared, where .ci/run does something else beside them.
run_pytest() {
	local phase=$1 report=$KYMO_BUILD/pytest-$1.xml status=0 how=(-n 0 -m alone)
	[ "$phase" = alone ] || how=(-n $((1 + ${#phases[@]})) --dist worksteal -m "not alone")
	say "Python tests, $phase; of the long ones part $long"
	rm -f "$report"
	"$venv/python" -m pytest -q "${how[@]}" --junitxml "$report" "${quick[@]}" --long "$long" \
		${only:+-k "$only"} "${files[@]}" || status=$?
	# 1 = tests failed, 5 = none were selected: the counts show it.  Otherwise pytest itself failed.
	case $status in
	0 | 1 | 5) add $(python3 tools/count_tests.py pytest "$report") ;;
	*) add 0 1 0 ;;
	esac
}

if [ "${phases[0]}" = shared ]; then
	say "C tests"
	run_ctest "$KYMO_BUILD" ${only:+-R "$only"}
fi
join targets
compile_modules
for phase in "${phases[@]}"; do
	run_pytest "$phase"
done

if [ -z "$only" ] && [ $job = test ] && [ "${phases[0]}" = shared ]; then
	say "checks"
	mapfile -t c_files < <(find . -name 'build*' -prune -o -name '*.[ch]' -print)
	check "C is formatted" "$venv/clang-format" --dry-run -Werror "${c_files[@]}"
	check "Python is clean" "$venv/ruff" check -q .
	check "Python is formatted" "$venv/ruff" format -q --check .
	check "layers" python3 tools/check_layers.py
	check "namesakes" python3 tools/count_namesakes.py
	check "errno" python3 tools/check_errno.py
	check "names" python3 tools/check_names.py
	check "exports" python3 tools/check_exports.py "$KYMO_BUILD"
	check "hardening" python3 tools/check_hardening.py "$KYMO_BUILD"
	check "packages" tools/setup.sh check
fi

if [ -n "$has_releases" ]; then
	for suite in "${releases[@]}"; do
		try_release "$suite"
	done
fi

echo "$((SECONDS - started)) s; logs: $KYMO_BUILD/*.log"
echo "${totals[*]}" >"$KYMO_BUILD/test-totals"
finish
