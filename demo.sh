#!/usr/bin/env bash
# Build Kymo if needed and profile the bundled program, demo/forecast.py.
# Sets up what it needs on Debian and Ubuntu.
#
#   ./demo.sh [options of kymo python]
#   ./demo.sh --screenshots   make the pictures of the README instead: docs/images
set -euo pipefail
cd "$(dirname "$0")"
. tools/lib.sh

export KYMO_BUILD=${KYMO_BUILD:-$PWD/build}
job=build
[ "${1-}" != --screenshots ] || job=test
tools/setup.sh $job
if [ -e "$KYMO_BUILD/build.ninja" ]; then
	run_ninja "$KYMO_BUILD"
else
	echo "building Kymo in $KYMO_BUILD, which takes a minute or two"
	build_into "$KYMO_BUILD" -DKYMO_BUILD_TESTS=OFF
fi

# python3 if there is a module for it, else the newest interpreter with one.
version=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
interpreters=$KYMO_BUILD/python/interpreters.txt
grep -q "^$version " "$interpreters" || version=$(tail -n 1 "$interpreters" | cut -d' ' -f1)
python=$KYMO_BUILD/bin/kymo-python-$version
if [ "$job" = test ]; then
	exec "$KYMO_BUILD/venv/bin/python" tools/screenshots.py
fi
output=kymo-demo-output
rm -rf "$output"

echo
echo "\$ kymo-python demo/forecast.py"
KYMO_OUTPUT_PATH=$output KYMO_TIME_OUTPUT=OFF "$python" "$@" demo/forecast.py

kymo=${KYMO_BUILD#"$PWD"/}/bin/kymo
"$KYMO_BUILD/bin/kymo" view --no-open "$output" 2>/dev/null
cat <<END

Open next:
  $output/page.html         the whole run as a page, in a browser
  $output/wall_clock.txt    every call path with its times
  $output/trip_count.txt    every call path with its counts

Or type:
  $kymo view $output                       the page again
  $kymo report $output --tree              the call tree, the largest first
  $kymo report $output --callers height    who calls 'height'
  $kymo export $output --format speedscope
  $kymo sample -- python3 demo/forecast.py    the same by samples, at hardly any cost
END
