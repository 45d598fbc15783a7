#!/bin/sh
# Makes the files of a release from this checkout:
#
#   sh deploy/release.sh <version>                        # only checks that they are of this version
#   sh deploy/release.sh <version> <folder> <images.txt   # and writes them into the folder
#
# The second reads a line for each image: <name>@sha256:<digest>.
set -eu
version=$1
cd "$(dirname "$0")/.."

fail() {
  echo "$*" >&2
  exit 1
}

newest=$(sed -n 's/^## \([0-9][^ ]*\).*/\1/p' CHANGELOG.md | head -n 1)
[ "$newest" = "$version" ] || fail "The newest version in CHANGELOG.md is $newest, not $version"
others=$(sed -n 's/^ *image: \(ghcr\.io.*\)$/\1/p' compose.yaml | grep -vF "\${FARMGATE_VERSION:-$version}") || true
[ -z "$others" ] || fail "compose.yaml does not name the images of $version: $others"
[ $# -gt 1 ] || exit 0

mkdir -p "$2"
cp compose.yaml deploy/install.sh deploy/stack/farmgate CHANGELOG.md "$2"
cd "$2"
cat >images.txt
for name in farmgate farmgate-ticket farmgate-edge; do
  grep -Eqx "[a-z0-9./-]+/$name@sha256:[0-9a-f]{64}" images.txt || fail "There is no digest of the image $name"
done
sha256sum compose.yaml install.sh farmgate CHANGELOG.md images.txt >SHA256SUMS
