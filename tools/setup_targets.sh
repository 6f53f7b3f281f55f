#!/usr/bin/env bash
# Install what programs under test import (tests/requirements-target.txt; but for `core` also
# -notebook.txt) for every interpreter of the build, next to the build and not into the
# interpreters: `tools/setup_targets.sh [core|test]`.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/uv_pip.sh
build=${KYMO_BUILD:-$PWD/build}
lists=(target)
[ "${1-}" = core ] || lists+=(notebook)

install_list() { # version, target, list
	echo "installing the packages of requirements-$3.txt for Python $1"
	# A missing wheel for a version is no failure: the tests that need the package are skipped.
	uv_install --target "$2" --python-version "$1" --only-binary :all: --upgrade \
		-r "tests/requirements-$3.txt" ||
		echo "not all of them for Python $1"
	mkdir -p "$2"
	touch "$2/.$3"
}

hand_on_pip_settings
while read -r version _; do
	target=$build/test-packages/$version
	for list in "${lists[@]}"; do
		[ "$target/.$list" -nt "tests/requirements-$list.txt" ] ||
			install_list "$version" "$target" "$list"
	done
done <"$build/python/interpreters.txt"
