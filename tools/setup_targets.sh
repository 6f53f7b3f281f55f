#!/usr/bin/env bash
# Install what programs under test import (tests/requirements-target.txt) for every
# interpreter of the build, beside the build and not into the interpreters.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${KYMO_BUILD:-$PWD/build}
requirements=tests/requirements-target.txt

while read -r version _; do
	target=$build/test-packages/$version
	[ "$target/.complete" -nt "$requirements" ] && continue
	echo "installing greenlet and coverage for Python $version"
	rm -rf "$target"
	# No wheel for a version is no failure: the tests that need the package say so.
	"$build/venv/bin/pip" install -q --disable-pip-version-check --target "$target" \
		--python-version "$version" --implementation cp --only-binary :all: \
		-r "$requirements" || echo "none for Python $version"
	mkdir -p "$target"
	touch "$target/.complete"
done <"$build/python/interpreters.txt"
