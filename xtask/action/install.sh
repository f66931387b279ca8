#!/usr/bin/env bash
# Installs the command for the steps that follow: from an archive, whose checksum is compared, or from this source.
set -euo pipefail

bin="${RUNNER_TEMP:?}/rightcall/bin"
mkdir -p "$bin"
if [ -n "${ARCHIVE:-}" ]; then
  file="$RUNNER_TEMP/rightcall.tar.gz"
  case "$ARCHIVE" in
    http://* | https://*) curl --fail --silent --show-error --location --retry 3 --output "$file" "$ARCHIVE" ;;
    *) cp "$ARCHIVE" "$file" ;;
  esac
  if [ -n "${CHECKSUM:-}" ]; then
    echo "$CHECKSUM  $file" | sha256sum --check --status || {
      echo "::error title=rightcall::$ARCHIVE has another SHA-256 than $CHECKSUM"
      exit 2
    }
  fi
  tar --extract --gzip --file "$file" --directory "$bin" --strip-components 1 --wildcards '*/rightcall'
else
  cargo install --quiet --locked --path "${SOURCE:?}/crates/rightcall-cli" --root "$(dirname "$bin")"
fi
echo "$bin" >> "${GITHUB_PATH:?}"
"$bin/rightcall" --version
