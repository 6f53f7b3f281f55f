#!/usr/bin/env bash
# Install every Python that this release of Debian or Ubuntu packages, with its headers: each
# of them gets a native module, and its tests.
set -euo pipefail
mapfile -t packages < <(apt-cache pkgnames | grep -E '^python3\.[0-9]+-dev$' | sort -V)
echo "Pythons: ${packages[*]}"
DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${packages[@]}" >/dev/null
