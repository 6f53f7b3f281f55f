#!/usr/bin/env bash
# Make sure that what a job needs is installed: `tools/setup.sh build` or `... test`.
#
# On Debian and Ubuntu missing packages are installed, as root or through sudo.  Elsewhere
# their names are printed and the status is 2.  `test` also makes the environment of the
# test tools, <build>/venv.  Stamps keep a second run short.
set -euo pipefail
cd "$(dirname "$0")/.."
job=${1:?"usage: tools/setup.sh build|test"}
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

# Programs for the machine's smaller sibling can be made on x86-64 alone.
can_compile_with() {
	[ "$(uname -m)" != x86_64 ] ||
		printf '#include <stdio.h>\nint main(void) { return 0; }\n' |
		gcc "$1" -x c -o /dev/null - 2>/dev/null
}

# Any interpreter with headers will do; cmake/KymoPython.cmake finds it again.
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

is_there() { # kind, name
	case $1 in
	command) command -v "$2" >/dev/null ;;
	module) pkg-config --exists "$2" 2>/dev/null ;;
	header) has_header "$2" ;;
	library) /sbin/ldconfig -p 2>/dev/null | grep -q "^\s*$2 " ;;
	path) compgen -G "$2" >/dev/null ;;
	python-header) has_python_header ;;
	compiler-flag) can_compile_with "$2" ;;
	python-module) find_python >/dev/null && "$(find_python)" -c "import $2" 2>/dev/null ;;
	esac
}

missing_packages() {
	local for package kind name
	while read -r for package kind name; do
		case $for in
		build | "$job") is_there "$kind" "$name" || echo "$package" ;;
		esac
	done < <(grep -v '^#' tools/packages.txt)
}

# The first of "here|elsewhere" that this system's archive has.
chosen_package() {
	local name
	for name in ${1//|/ }; do
		if apt-cache show "$name" >/dev/null 2>&1; then
			echo "$name"
			return
		fi
	done
	echo "${1%%|*}"
}

install_packages() {
	local become= package
	local -a chosen=()
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
		for package; do
			chosen+=("$(chosen_package "$package")")
		done
		$become env DEBIAN_FRONTEND=noninteractive apt-get install -y -q \
			--no-install-recommends "${chosen[@]}" >>"$build/apt.log" 2>&1 && return
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
	"$build/venv/bin/pip" install -q --disable-pip-version-check -r tests/requirements.txt
	touch "$stamp"
}

mkdir -p "$build"
stamp=$build/.setup-$job
if ! is_stamped "$stamp" tools/packages.txt tools/setup.sh; then
	setup_packages
	touch "$stamp"
fi
if [ "$job" = test ]; then
	setup_venv
fi
