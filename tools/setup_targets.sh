#!/usr/bin/env bash
# Install what programs under test import (tests/requirements-target.txt, -notebook.txt) for every
# interpreter of the build, beside the build and not into the interpreters.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${KYMO_BUILD:-$PWD/build}
while read -r version _; do
	target=$build/test-packages/$version
	[ "$target/.complete" -nt tests/requirements-target.txt ] &&
		[ "$target/.complete" -nt tests/requirements-notebook.txt ] && continue
	echo "installing greenlet, coverage and a Jupyter kernel for Python $version"
	rm -rf "$target"
	# No wheel for a version is no failure: the tests that need the package say so.
	for requirements in tests/requirements-target.txt tests/requirements-notebook.txt; do
		"$build/venv/bin/pip" install -q --disable-pip-version-check --target "$target" \
			--python-version "$version" --implementation cp --only-binary :all: \
			--upgrade -r "$requirements" || echo "none of $requirements for Python $version"
	done
	mkdir -p "$target"
	touch "$target/.complete"
done <"$build/python/interpreters.txt"
