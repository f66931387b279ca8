#!/usr/bin/env bash
# Installs the command for the steps that follow: from an archive, whose checksum is compared, or from this source.
#
# Runs on what the runners bring along: bash 3.2, and the tar of GNU as well as that of BSD.
set -euo pipefail

refuse() {
  echo "::error title=rightcall::$1"
  exit 2
}

# The SHA-256 of a file, in small letters.
sum_of() {
  if command -v sha256sum > /dev/null; then
    sha256sum < "$1"
  else
    shasum -a 256 < "$1"
  fi | cut -d ' ' -f 1
}

bin="${RUNNER_TEMP:?}/rightcall/bin"
mkdir -p "$bin"
archive="${ARCHIVE:-}"
if [ -n "$archive" ]; then
  # As written by people, `sha256sum` and GitHub.
  wanted="$(printf %s "${CHECKSUM:-}" | tr -d '[:space:]' | tr A-F a-f)"
  wanted="${wanted#sha256:}"
  if [ -n "$wanted" ] && ! printf %s "$wanted" | grep -Eq '^[0-9a-f]{64}$'; then
    refuse "the checksum must be a SHA-256, which has 64 hexadecimal digits"
  fi
  file="$RUNNER_TEMP/rightcall.tar.gz"
  case "$archive" in
    https://*)
      [ -n "$wanted" ] || refuse "$archive needs a checksum: nothing else says that it is what was meant"
      curl --fail --silent --show-error --location --proto '=https' --proto-redir '=https' --retry 3 --output "$file" "$archive"
      ;;
    *://*) refuse "$archive is not fetched over https" ;;
    *) cp "$archive" "$file" ;;
  esac
  if [ -n "$wanted" ]; then
    found="$(sum_of "$file")"
    [ "$found" = "$wanted" ] || refuse "$archive has another SHA-256 than $wanted: $found"
  fi
  unpacked="$(mktemp -d "$RUNNER_TEMP/rightcall-archive.XXXXXX")"
  tar -xzf "$file" -C "$unpacked"
  # One folder, which has the version in its name.
  cp "$unpacked"/*/rightcall "$bin/rightcall"
  rm -rf "$unpacked" "$file"
elif [ ! -x "$bin/rightcall" ]; then
  # What an earlier job has built may have come out of a cache.
  cargo install --quiet --locked --profile dist --features columns --path "${SOURCE:?}/crates/rightcall-cli" --root "${bin%/bin}"
fi
echo "$bin" >> "${GITHUB_PATH:?}"
"$bin/rightcall" --version
