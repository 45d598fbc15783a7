#!/bin/sh
# Makes a folder with compose.yaml, .env and ./farmgate, the command of the stack:
#
#   curl -fsSL https://github.com/farmgate/farmgate/releases/latest/download/install.sh | sh
#   sh deploy/install.sh --from .        # from a checkout
#
# Options after `sh -s --`: see `usage`.
set -u

usage() {
  cat <<'END'
install.sh [options] [folder]     the folder is ./farmgate unless given

  --from <folder>     the files of a checkout, or of a release in a folder
  --start             starts the stack afterwards
  --force             replaces files that differ, and keeps a copy of each; never .env
  --systemd           for a machine without containers: the npm package, for the units of deploy/systemd
  --dry-run           only says what it would do
END
}

say() { printf '%s\n' "$*"; }

fail() {
  say "$*" >&2
  exit 1
}

releases=${FARMGATE_RELEASES:-https://github.com/farmgate/farmgate/releases}

fetch() {
  if command -v curl >/dev/null 2>&1; then
    curl -fsSL --connect-timeout 20 --max-time 300 -o "$2" "$1"
  elif command -v wget >/dev/null 2>&1; then
    wget -q -T 60 -O "$2" "$1"
  else
    fail 'Neither curl nor wget is here. Install one of them.'
  fi
}

sum_of() {
  if command -v sha256sum >/dev/null 2>&1; then sha256sum <"$1"; else shasum -a 256 <"$1"; fi | cut -d ' ' -f 1
}

newest_in() { sed -n 's/^## \([0-9][0-9A-Za-z.-]*\).*/\1/p' "$1" | head -n 1; }

# --- What is missing, a line each with its cure ---

missing() { say "Missing: $*" >&2; }

check_machine() {
  find_engine || missing 'Docker with Compose. Install it: https://docs.docker.com/engine/install/'
  if [ "$engine" = docker ]; then
    compose=$(docker compose version --short 2>/dev/null | sed 's/^v//')
    case $compose in
      0.* | 1.* | 2.[0-9] | 2.[0-9].* | 2.1[0-9].* | 2.2[0-3].*)
        missing "Compose 2.24: this is $compose. Update Docker: https://docs.docker.com/compose/install/"
        ;;
    esac
  fi
  disk=$(df -Pk . 2>/dev/null | awk 'NR == 2 { print int($4 / 1048576) }')
  [ "${disk:-8}" -ge 8 ] || missing "disk space: $disk GB are free, and the game needs 8. Choose a folder on another disk."
  memory=$(awk '/^MemTotal/ { print int($2 / 1000) }' /proc/meminfo 2>/dev/null)
  [ "${memory:-2000}" -ge 1900 ] || missing "memory: this machine has $memory MB, and game and farmgate need 2 GB. Add some, or swap."
}

find_engine() {
  for engine in docker podman; do
    if "$engine" compose version >/dev/null 2>&1; then return 0; fi
  done
  engine=docker
  return 1
}

# The servers behind invite codes refuse a clock that is wrong. The feed's answer has the time in its headers.
check_clock() {
  there=$(curl -sIL --max-time 20 "$1" 2>/dev/null | awk '
    tolower($1) == "date:" {
      month = (index("JanFebMarAprMayJunJulAugSepOctNovDec", $4) + 2) / 3
      year = month <= 2 ? $5 - 1 : $5
      day = 365 * year + int(year / 4) - int(year / 100) + int(year / 400) + int((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + $3 - 719469
      split($6, time, ":")
      seconds = day * 86400 + time[1] * 3600 + time[2] * 60 + time[3]
    }
    END { if (seconds) printf "%d", seconds }')
  [ -n "$there" ] || return 0
  off=$(($(date +%s) - there))
  [ "${off#-}" -lt 300 ] || missing "the right time: this clock is $off s off. Set it: timedatectl set-ntp true"
}

# --- The files ---

# Puts the release's files into $files, each compared with SHA256SUMS.
get_release() {
  fetch "$releases/latest/download/CHANGELOG.md" "$files/newest" ||
    fail "The newest release could not be found at $releases. Check the network."
  version=$(newest_in "$files/newest")
  [ -n "$version" ] || fail "$releases names no version."
  for file in SHA256SUMS compose.yaml farmgate; do
    fetch "$releases/download/v$version/$file" "$files/$file" ||
      fail "$file of release $version could not be downloaded from $releases. Check the network."
  done
  check_sums "release $version"
}

check_sums() {
  for file in compose.yaml farmgate; do
    [ "$(sed -n "s/^\([0-9a-f]\{64\}\) [ *]$file\$/\1/p" "$files/SHA256SUMS")" = "$(sum_of "$files/$file")" ] ||
      fail "The checksum of $file of $1 is wrong. Nothing was installed."
  done
}

get_folder() {
  cp "$from/compose.yaml" "$files/compose.yaml" 2>/dev/null || fail "$from has no compose.yaml."
  cp "$from/farmgate" "$files/farmgate" 2>/dev/null || cp "$from/deploy/stack/farmgate" "$files/farmgate" 2>/dev/null ||
    fail "$from is neither a checkout nor a release."
  [ ! -e "$from/SHA256SUMS" ] || { cp "$from/SHA256SUMS" "$files" && check_sums "$from"; }
}

make_env() {
  cat >"$files/.env" <<'END'
# Variables of the stack. An empty file works: the first start makes all keys. After a change: docker compose up -d
# https://github.com/farmgate/farmgate/blob/main/docs/configuration.md explains each one. Some of them:
#
# The name of the server that players see, and what they type to join:
# SERVER_NAME=
# SERVER_PASSWORD=
# Lets farmgate restore backups and load saves:
# SAVES_ACCESS=rw
# Shows when a newer farmgate is released; asks for it once a day:
# UPDATE_CHECK=true
END
}

# What is to be done with a file: nothing, make, replace.
plan() {
  if [ ! -e "$folder/$1" ]; then
    say make
  elif [ "$1" = .env ] || cmp -s "$files/$1" "$folder/$1"; then
    say nothing
  else
    say replace
  fi
}

put() {
  case $(plan "$1") in
    nothing) return ;;
    replace)
      copy=$folder/$1.$(date -u +%Y%m%dT%H%M%SZ)
      cp -p "$folder/$1" "$copy" || fail "$copy could not be written."
      say "The $1 that was there is $copy now."
      ;;
  esac
  { cp "$files/$1" "$folder/$1.new" && chmod "$2" "$folder/$1.new" && mv -f "$folder/$1.new" "$folder/$1"; } || {
    rm -f "$folder/$1.new"
    fail "$folder/$1 could not be written. Choose a folder that is yours, on a disk with room."
  }
}

install_stack() {
  # Our files in the folder: then this is not the first run.
  known=no
  for file in compose.yaml farmgate; do [ ! -e "$folder/$file" ] || known=yes; done
  changes=
  for file in compose.yaml .env farmgate; do
    what=$(plan "$file")
    [ "$what" = nothing ] || changes="$changes
  $what $folder/$file"
  done
  if [ "$dry" = yes ]; then
    say "It would:${changes:-
  change nothing}"
    [ "$start" = no ] || say "  start the stack: $engine compose up -d"
    return
  fi
  if [ -z "$changes" ]; then
    say "Nothing to change in $folder."
  elif [ "$known" = yes ] && [ "$force" = no ]; then
    fail "$folder is there already. It would:$changes
Nothing was changed. ./farmgate update updates it; --force replaces the files and keeps a copy of each."
  else
    mkdir -p "$folder" || fail "$folder cannot be made. Choose a folder that is yours."
    put compose.yaml 644
    put .env 600
    put farmgate 755
    say "farmgate is in $folder."
  fi
  if [ "$start" = yes ]; then
    (cd "$folder" && "$engine" compose up -d) || fail "The stack could not be started. Try again: cd $folder && $engine compose up -d"
  else
    say "Start it: cd $folder && $engine compose up -d"
  fi
  say "The link to set up the farm is in the log of the ticket service: cd $folder && ./farmgate logs ticket"
}

install_systemd() {
  say "npm package: farmgate, into $folder"
  say 'Units of deploy/systemd: farmgate@.service farmgate-ticket@.service farmgate-farms.service farmgate-edge.service'
  [ "$dry" = no ] || return 0
  command -v npm >/dev/null 2>&1 || fail 'npm is not here. Install Node 20 or newer: https://nodejs.org'
  { mkdir -p "$folder" && npm install --prefix "$folder" --no-audit --no-fund farmgate; } ||
    fail 'The npm package farmgate could not be installed.'
  say 'docs/hosting.md, "With systemd", has the commands for the units, which need root.'
}

main() {
  from='' start=no force=no systemd=no dry=no folder=./farmgate
  while [ $# -gt 0 ]; do
    case $1 in
      --from)
        [ $# -gt 1 ] || fail '--from needs a folder.'
        from=$2
        shift
        ;;
      --start) start=yes ;;
      --force) force=yes ;;
      --systemd) systemd=yes ;;
      --dry-run) dry=yes ;;
      -h | --help)
        usage
        exit 0
        ;;
      -*) fail "Unknown option: $1. --help lists them." ;;
      *) folder=$1 ;;
    esac
    shift
  done
  if [ "$systemd" = yes ]; then
    install_systemd
    exit 0
  fi
  check_machine
  files=$(mktemp -d) || fail 'No temporary folder can be made.'
  trap 'rm -rf "$files"' EXIT
  trap 'exit 1' HUP INT TERM
  if [ -n "$from" ]; then
    get_folder
  else
    check_clock "$releases/latest/download/CHANGELOG.md"
    get_release
  fi
  make_env
  install_stack
}

# A script that was cut off before the last brace has done nothing.
{ main "$@"; }
