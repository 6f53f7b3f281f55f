#!/usr/bin/env bash
# Make sure that what a job needs is installed: `tools/setup.sh build|core|test`.
#
# On Debian and Ubuntu missing packages are installed, as root or through sudo.  Elsewhere
# their names are printed and the status is 2.  `core`, which is for the tests that need few
# packages, and `test` also make the environment of the test tools, <build>/venv.  Stamps keep a second run short.
#
# `tools/setup.sh check` checks whether this system's archive has all packages, and whether they
# can be installed together on an empty system; it changes nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/uv_pip.sh
job=${1:?"usage: tools/setup.sh build|core|test|check"}
build=${KYMO_BUILD:-$PWD/build}

# The interpreter the tools run with: the first python3 that is at least 3.9.
find_python() {
	local candidate
	for candidate in python3 python3.13 python3.12 python3.11 python3.10 python3.9 /usr/bin/python3; do
		if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
			command -v "$candidate"
			return
		fi
	done
	return 1
}

has_header() { printf '#include <%s>\n' "$1" | gcc -E -x c - >/dev/null 2>&1; }

# 32-bit programs can be built on x86-64 only.
can_compile() { # compiler, flag
	[ "$2" = -m32 ] && [ "$(uname -m)" != x86_64 ] ||
		printf '#include <stdio.h>\nint main(void) { return 0; }\n' |
		"$1" "$2" -x c -o /dev/null - 2>/dev/null
}

# Any interpreter with headers is enough; cmake/KymoPython.cmake finds it, too.
has_python_header() {
	local candidate
	for candidate in python3 /usr/bin/python3 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python3; do
		"$candidate" - 2>/dev/null <<-'PYTHON' && return
			import os, sys, sysconfig
			include = sysconfig.get_paths()["include"]
			sys.exit(not os.path.exists(os.path.join(include, "Python.h")))
		PYTHON
	done
	return 1
}

is_there() { # kind, name, more
	case $1 in
	command) command -v "$2" >/dev/null ;;
	module) pkg-config --exists "$2" 2>/dev/null ;;
	header) has_header "$2" ;;
	library) /sbin/ldconfig -p 2>/dev/null | grep -q "^\s*$2 " ;;
	path) compgen -G "$2" >/dev/null ;;
	python-header) has_python_header ;;
	compiles) can_compile "$2" "$3" ;;
	python-module) find_python >/dev/null && "$(find_python)" -c "import $2" 2>/dev/null ;;
	esac
}

missing_packages() {
	local for package kind name more
	while read -r for package kind name more; do
		case $for-$job in
		build-* | core-core | *-test) is_there "$kind" "$name" "$more" || echo "$package" ;;
		esac
	done < <(grep -v '^#' tools/packages.txt)
}

# Reading all package lists takes seconds, and container images disable apt's cache.
apt_cached() { # command of apt, arguments
	"$1" -o Dir::Cache::pkgcache="$build/apt.bin" -o Dir::Cache::srcpkgcache="$build/apt-src.bin" \
		"${@:2}"
}

# gcc-12: 12, the version on which the package `gcc` depends, from the output of apt-cache.
version_behind() { # name, text
	sed -n "s/^Depends:.*\b$1-\([0-9]*\)\( .*\)\?$/-\1/p" <<<"$2" | head -n 1
}

# The names of packages.txt as this system's archive has them: sets `chosen`.
choose_packages() {
	local text gcc clang known name one
	text=$(apt_cached apt-cache show --no-all-versions gcc clang 2>/dev/null) || true
	gcc=$(version_behind gcc "$text")
	clang=$(version_behind clang "$text")
	set -- "${@//-\{gcc\}/$gcc}" && set -- "${@//-\{clang\}/$clang}"
	known=$(apt_cached apt-cache show --no-all-versions ${*//|/ } 2>/dev/null |
		sed -n 's/^Package: \(.*\)/ \1 /p') || true
	chosen=()
	for name; do
		for one in ${name//|/ } "${name%%|*}"; do
			[[ $known != *" $one "* ]] || break
		done
		chosen+=("$one")
	done
	[ -n "$known" ]
}

# Simulates installing the whole list on an empty system: conflicts are not visible where one of the
# packages is already installed.
check_packages() {
	local -a names chosen
	mapfile -t names < <(grep -v '^#' tools/packages.txt | awk '{ print $2 }')
	if ! choose_packages "${names[@]}"; then
		echo "apt has no lists of packages here (apt-get update fetches them)"
		return 77
	fi
	apt-get -o Dir::State::status=/dev/null install -s -q --no-install-recommends \
		"${chosen[@]}" 2>&1 | grep -v -E '^(Inst|Conf) ' | tail -n 20
	return "${PIPESTATUS[0]}"
}

# Packages must not start services: the tests start servers of their own.
without_services() (
	policy=/usr/sbin/policy-rc.d
	if [ ! -e $policy ]; then
		trap '$become rm -f $policy' EXIT
		printf '#!/bin/sh\nexit 101\n' | $become tee $policy >/dev/null
		$become chmod 755 $policy
	fi
	$become env DEBIAN_FRONTEND=noninteractive "$@"
)

install_packages() {
	local become=
	local -a chosen
	if ! command -v apt-get >/dev/null; then
		return 1
	fi
	if [ "$(id -u)" -ne 0 ]; then
		command -v sudo >/dev/null || return 1
		become=sudo
		[ -t 0 ] || become="sudo -n"
	fi
	echo "installing: $*"
	if $become env DEBIAN_FRONTEND=noninteractive apt-get update -q >"$build/apt.log" 2>&1; then
		choose_packages "$@" || true
		without_services apt-get install -y -q --no-install-recommends "${chosen[@]}" \
			>>"$build/apt.log" 2>&1 && return
	fi
	tail -n 5 "$build/apt.log" >&2
	return 1
}

setup_packages() {
	local missing
	mapfile -t missing < <(missing_packages)
	[ "${#missing[@]}" -eq 0 ] && return
	if ! install_packages "${missing[@]}"; then
		echo "Kymo needs these packages (Debian and Ubuntu names): ${missing[*]}" >&2
		echo "Install them, then run this again." >&2
		exit 2
	fi
}

# newer_than STAMP FILE...: is the stamp there and newer than all the files?
is_stamped() {
	local stamp=$1 file
	shift
	[ -e "$stamp" ] || return 1
	for file; do
		[ "$stamp" -nt "$file" ] || return 1
	done
}

setup_venv() {
	local stamp=$build/venv/.complete
	is_stamped "$stamp" tests/requirements.txt && return
	echo "making $build/venv with the test tools"
	rm -rf "$build/venv"
	"$(find_python)" -m venv "$build/venv"
	"$build/venv/bin/pip" install -q --disable-pip-version-check uv -c tests/requirements.txt
	hand_on_pip_settings
	uv_install --python "$build/venv" -r tests/requirements.txt
	touch "$stamp"
}

mkdir -p "$build"
build=$(cd "$build" && pwd)
if [ "$job" = check ]; then
	check_packages
	exit
fi
stamp=$build/.setup-$job
if ! is_stamped "$stamp" tools/packages.txt tools/setup.sh; then
	setup_packages
	touch "$stamp"
fi
if [ "$job" != build ]; then
	setup_venv
fi
