# Shared by demo.sh, test.sh and .ci/run: building, background work, counting, the last line.
# To be sourced.
totals=(0 0 0)

# add PASSED FAILED SKIPPED
add() {
	local i values=("$@")
	for i in 0 1 2; do
		totals[i]=$((totals[i] + ${values[i]:-0}))
	done
}

say() { printf '\n== %s\n' "$*"; }

# check NAME COMMAND...: run a check that counts as one test; on failure it prints the first
# findings.  Status 77: skipped, as its subject is missing.
check() {
	local name=$1 output status=0
	shift
	output=$("$@" 2>&1) || status=$?
	if [ $status = 0 ]; then
		echo "ok      $name"
		add 1 0 0
	elif [ $status = 77 ]; then
		echo "skipped $name: $output"
		add 0 0 1
	else
		head -n 30 <<<"$output"
		echo "FAILED  $name"
		add 0 1 0
	fi
}

# run_ninja DIRECTORY: bring a configured build up to date, silently unless it fails.
run_ninja() {
	ninja -C "$1" >"$1/build.log" 2>&1 || {
		sed -n '/^FAILED/,$p' "$1/build.log" | head -n 60
		return 1
	}
}

# configure_into DIRECTORY CMAKE-OPTIONS...
configure_into() {
	local directory=$1
	shift
	mkdir -p "$directory"
	cmake -G Ninja -S . -B "$directory" "$@" >"$directory/configure.log" 2>&1 ||
		{ cat "$directory/configure.log"; return 1; }
}

# build_into DIRECTORY CMAKE-OPTIONS...
build_into() {
	configure_into "$@" && run_ninja "$1"
}

# background NAME COMMAND...: run it in the background.  Its output and counts are kept for
# `join NAME`; if it is not joined, it ends with the script.
declare -A background_groups=()
background() {
	local name=$1 log=${KYMO_BUILD:-build}/background-$1
	shift
	mkdir -p "${log%/*}"
	rm -f "$log.totals"
	trap stop_background EXIT
	set -m # in a process group of its own, so that no signal is ignored as in background jobs
	(
		totals=(0 0 0) status=0
		"$@" || status=$?
		echo "${totals[*]}" >"$log.totals"
		exit $status
	) </dev/null >"$log.log" 2>&1 &
	background_groups[$name]=$!
	set +m
}

# join NAME: wait for it, print its output, and add its counts; returns its status.
join() {
	local status=0 counts log=${KYMO_BUILD:-build}/background-$1
	wait "${background_groups[$1]}" || status=$?
	unset "background_groups[$1]"
	cat "$log.log"
	read -ra counts <"$log.totals" || counts=(0 1 0)
	add "${counts[@]}"
	return $status
}

stop_background() {
	local group
	for group in "${background_groups[@]}"; do
		kill -- "-$group" 2>/dev/null || true
	done
}

# run_ctest DIRECTORY OPTIONS...: every cmocka case counts.
run_ctest() {
	local directory=$1
	shift
	ctest --test-dir "$directory" -V -j 2 "$@" >"$directory/ctest.log" 2>&1 ||
		grep -E '\[  FAILED  \]|\[   LINE   \]|ERROR|error:|\*\*\*' "$directory/ctest.log" | head -n 60
	add $(python3 tools/count_tests.py ctest "$directory/ctest.log")
}

# Debian's releases on which Kymo is tested: the oldest, the newest, and the next one.
releases=(bookworm trixie sid)

# try_release SUITE OPTIONS...: its tests count, and the demo there counts as one.  If no root can
# be made, or time is over, one is counted as skipped.
try_release() {
	local status=0 counts
	tools/try_release.sh "${@:2}" "$1" || status=$?
	case $status in
	3 | 4) add 0 0 1 && return ;;
	0) add 1 0 0 ;;
	*) add 0 1 0 ;;
	esac
	if read -ra counts <"${KYMO_BUILD:-build}/releases/$1/totals"; then
		add "${counts[@]}"
	fi 2>/dev/null
}

# The last line of every script; the status of the last command is the script's.
finish() {
	echo
	echo "${totals[0]} passed, ${totals[1]} failed, ${totals[2]} skipped"
	[ "${totals[1]}" -eq 0 ] && [ "${totals[0]}" -gt 0 ]
}
