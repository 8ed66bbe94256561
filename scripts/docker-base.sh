#!/usr/bin/env bash
# docker-base.sh FILE
# Writes a base image as a tar archive for `docker import`, made from Debian packages alone: for where no image can be
# pulled. Needs root and debootstrap. Debian 13 has Node 20, so the images must be deployed with Node 20 too.
set -euo pipefail

if [ $# -ne 1 ]; then
  echo "usage: docker-base.sh FILE" >&2
  exit 2
fi
file=$1 suite=trixie

[ "$(id -u)" = 0 ] || { echo "debootstrap needs root" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "debootstrap is not here: apt-get install debootstrap" >&2; exit 1; }

# The archive this system already uses, as in debian-package.sh.
known_archive() {
  apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' |
    awk -F'|' '$1 == "Debian" && $2 == "Debian" { print $3; exit }'
}
archive=$(known_archive)
if [ -z "$archive" ]; then
  apt-get -qq update
  archive=$(known_archive)
fi
[ -n "$archive" ] || { echo "apt knows no Debian archive" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
debootstrap --variant=minbase --include=nodejs,ca-certificates,bubblewrap "$suite" "$work/root" "$archive" >"$work/log" 2>&1 ||
  { tail -n 20 "$work/log" "$work/root/debootstrap/debootstrap.log" >&2 2>/dev/null; exit 1; }
# What no running service reads, and the name of this machine's own archive.
rm -rf "$work"/root/var/cache/apt/* "$work"/root/var/lib/apt/lists/* "$work"/root/var/log/* \
  "$work"/root/usr/share/{doc,locale,man}/* "$work"/root/etc/apt/sources.list*
mkdir -p "$(dirname "$file")"
# Under its name only when it is whole, so that an interrupted run leaves nothing that looks like a base.
tar -C "$work/root" -c . >"$file.part"
mv "$file.part" "$file"
