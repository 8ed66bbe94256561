#!/usr/bin/env bash
# debian-package.sh PACKAGE SUITE FOLDER
# Unpacks one package of any Debian suite into a folder. Needs no root once apt knows an archive, and leaves the
# system as it was: a private source list, private package lists and a private cache, removed at the end.
set -euo pipefail

if [ $# -ne 3 ]; then
  echo "usage: debian-package.sh PACKAGE SUITE FOLDER" >&2
  exit 2
fi
package=$1 suite=$2 folder=$3

for tool in apt-get dpkg-deb; do
  command -v "$tool" >/dev/null || { echo "$tool is not here: this is not a Debian system" >&2; exit 1; }
done

# The archive this system already uses is the one to ask: a mirror or proxy set up for it keeps working.
known_archive() {
  apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' |
    awk -F'|' '$1 == "Debian" && $2 == "Debian" { print $3; exit }'
}
archive=$(known_archive)
if [ -z "$archive" ] && [ "$(id -u)" = 0 ]; then
  apt-get -qq update
  archive=$(known_archive)
fi
if [ -z "$archive" ]; then
  echo "apt knows no Debian archive yet: run 'apt-get update' once as root" >&2
  exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/parts" "$work/lists/partial" "$work/cache/archives/partial"
: >"$work/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive $suite main" >"$work/sources.list"

private=(
  -qq
  -o "Dir::Etc::sourcelist=$work/sources.list"
  -o "Dir::Etc::sourceparts=$work/parts"
  -o "Dir::State::lists=$work/lists"
  -o "Dir::State::status=$work/status"
  -o "Dir::Cache=$work/cache"
  # apt's own download user could not enter this folder.
  -o "APT::Sandbox::User=root"
  -o "Acquire::Languages=none"
)
apt-get "${private[@]}" update
(cd "$work" && apt-get "${private[@]}" download "$package")

mkdir -p "$folder"
dpkg-deb -x "$work/$package"_*.deb "$folder"
