#!/usr/bin/env bash
# Try Kymo in a bare root of a release of Debian: ./demo.sh, then the core tests.
#
#   tools/try_release.sh [OPTIONS] SUITE      bookworm, trixie, sid, ...
#
#   --all            the whole ./test.sh instead of the core tests
#   --run COMMAND    this command, in the root's copy of the checkout, instead of both
#   --minutes N      stop after N minutes
#   --keep           keep the root, and print its path
#   --mirror URI     of Debian's archive (default: the one apt is configured with here)
#
# The root is made by debootstrap and has a copy of the working tree and the network's settings;
# nothing else is from the host: no PATH, HOME, interpreters or caches.  Downloads are kept in
# <build>/releases, so that a second run is faster.
#
# Status: 0 all passed, 1 something failed, 2 wrong usage, 3 no root can be made here (the reason is
# printed), 4 the time was over.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/lib.sh

inside=(sh -c './demo.sh && tools/add_pythons.sh && exec ./test.sh --core')
minutes=
mirror=
keep=
suite=
while [ $# -gt 0 ]; do
	case $1 in
	--all) inside=(sh -c './demo.sh && tools/add_pythons.sh && exec ./test.sh') ;;
	--run) inside=(bash -c "${2:?"--run needs a command"}") && shift ;;
	--minutes) minutes=${2:?"--minutes needs a number"} && shift ;;
	--keep) keep=yes ;;
	--mirror) mirror=${2:?"--mirror needs an address"} && shift ;;
	-h | --help) sed -n '2,18s/^# \{0,1\}//p' "$0" && exit ;;
	-*) echo "try_release.sh: unknown option '$1'; see tools/try_release.sh --help" >&2 && exit 2 ;;
	*) suite=$1 ;;
	esac
	shift
done
[ -n "$suite" ] || { echo "usage: tools/try_release.sh [OPTIONS] SUITE" >&2 && exit 2; }

certificates=/usr/local/share/certificates-from-outside.crt # no package changes it
kept=${KYMO_BUILD:-$PWD/build}/releases/$suite
root=$kept/root

cannot() {
	echo "no root of $suite can be made here: $*"
	exit 3
}

# "REPOSITORY KEYRING" of Debian's own archive in apt's configuration.
configured_archive() {
	apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)|$(SIGNED_BY)' \
		'Created-By: Packages' 2>/dev/null |
		sed -n 's/^Debian|Debian|\([^|]*\)|\(.*\)/\1 \2/p' | head -n 1
}

find_archive() {
	local configured signed_by
	read -r configured signed_by <<<"$(configured_archive)" || true
	[ -n "$mirror" ] || mirror=$configured
	keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	if [ -n "$signed_by" ] && [ -r "$signed_by" ]; then
		keyring=$signed_by
	fi
	[ -n "$mirror" ] || cannot "apt knows no archive of Debian (--mirror names one)"
	[ -r "$keyring" ] || cannot "$keyring is not there (package debian-archive-keyring)"
}

# For a release that this debootstrap does not know yet, the script of sid is used.
script_of() {
	local scripts=/usr/share/debootstrap/scripts
	[ -e "$scripts/$1" ] && echo "$scripts/$1" || echo "$scripts/sid"
}

make_root() {
	local new=$kept/new
	echo "making a bare root of $suite"
	rm -rf "$new"
	mkdir -p "$kept/packages"
	if ! debootstrap --variant=minbase --keyring="$keyring" --cache-dir="$kept/packages" \
		"$suite" "$new" "$mirror" "$(script_of "$suite")" >"$kept/debootstrap.log" 2>&1; then
		tail -n 3 "$kept/debootstrap.log"
		cannot "debootstrap failed (all it said: $kept/debootstrap.log)"
	fi
	tar -C "$new" --numeric-owner -cf "$kept/bare.tar.new" .
	mv "$kept/bare.tar.new" "$kept/bare.tar"
	rm -rf "$new"
}

# Network configuration for the root: names, proxies, certificates, apt's settings.
copy_network() {
	local file
	for file in /etc/resolv.conf /etc/hosts /etc/pip.conf; do
		[ ! -e "$file" ] || cat "$file" >"$root$file"
	done
	# The host's apt may be configured for a frozen mirror.
	apt-config dump | grep -iE '^Acquire::(Check-Valid-Until|Check-Date|Retries|https?::Proxy)\b' \
		>"$root/etc/apt/apt.conf.d/90network" || true
	file=${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}
	[ ! -r "$file" ] || install -D -m 644 "$file" "$root$certificates"
}

unpack_root() {
	mkdir -p "$root"
	tar -C "$root" --numeric-owner -xf "$kept/bare.tar"
	copy_network
	cp -l "$kept"/packages/*.deb "$root/var/cache/apt/archives/" 2>/dev/null || true
	mkdir "$root/kymo"
	git ls-files -z --cached --others --exclude-standard |
		tar --null --ignore-failed-read -cf - -T - 2>/dev/null | tar -xf - -C "$root/kymo"
	git clone -q --bare . "$root/kymo/.git" && git -C "$root/kymo/.git" config core.bare false
}

# Downloads are kept for the next run.  Nothing is mounted below the root outside of its own
# mount namespace.
save_and_clean() {
	cp -ln "$root"/var/cache/apt/archives/*.deb "$kept/packages/" 2>/dev/null || true
	cp "$root/kymo/build/test-totals" "$kept/totals" 2>/dev/null || true
	[ -n "$keep" ] && echo "kept: $root" || rm -rf "$root"
}

# The host's network variables; the rest of the environment is new.
environment() {
	local name
	printf '%s\0' PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		HOME=/root LANG=C.UTF-8 TERM=dumb
	if [ -r "$root$certificates" ]; then
		printf '%s\0' "PIP_CERT=$certificates" "SSL_CERT_FILE=$certificates"
	fi
	for name in http_proxy https_proxy ftp_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY \
		PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_DEFAULT_TIMEOUT GOPROXY; do
		[ -z "${!name-}" ] || printf '%s\0' "$name=${!name}"
	done
}

# PID and mount namespaces and a root of its own, which end with the last process.  With chroot
# alone, used where pivot_root fails, the kernel refuses user namespaces.
mounts='mount --bind "$1" "$1" && cd "$1" && mount -t proc proc proc &&
	mount --rbind /sys sys && mount --rbind /dev dev && mount -t tmpfs -o mode=1777 shm dev/shm &&
	shift && { pivot_root . . 2>/dev/null && umount -l . || true; } && exec chroot . "$@"'
isolated=(unshare --mount --propagation private --pid --fork --kill-child sh -c "$mounts" sh)

run_inside() {
	local -a variables
	mapfile -d '' variables < <(environment)
	${minutes:+timeout --signal=KILL "$((minutes * 60 - (SECONDS - started)))"} \
		"${isolated[@]}" "$root" env -i "${variables[@]}" \
		sh -c 'cd /kymo && exec "$@"' sh "${inside[@]}"
}

started=$SECONDS
[ "$(id -u)" -eq 0 ] || cannot "only root can make one"
command -v debootstrap >/dev/null || cannot "debootstrap is not installed"
unshare --mount --pid --fork true 2>/dev/null || cannot "this machine lets no namespaces be made"
mkdir -p "$kept"
exec 9>"$kept/lock"
flock -n 9 || cannot "another run has it"
rm -rf "$root" "$kept/totals"
if [ ! -e "$kept/bare.tar" ]; then
	find_archive
	make_root
fi
trap save_and_clean EXIT
unpack_root
say "$suite: $(sed -n 's/^PRETTY_NAME=//p' "$root/etc/os-release")"
status=0
run_inside || status=$?
case $status in
0) echo "$suite: passed, in $((SECONDS - started)) s" ;;
124 | 137) echo "$suite: stopped after $minutes minutes" && exit 4 ;;
*) echo "$suite: failed with status $status" && exit 1 ;;
esac
