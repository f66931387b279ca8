#!/usr/bin/env bash
# Runs the suite; the Markdown report goes to the summary of the step, annotations to the pull request.
#
# Runs on bash 3.2, to which a list without words is an unset one.
set -euo pipefail
# Words are split at spaces and ends of lines; quotes have no meaning here, and `*` is left to the command.
set -f
IFS=$' \t\r\n'

set -- "${SUITE:?}" --report markdown
if [ -n "${PROFILE:-}" ]; then set -- "$@" --profile "$PROFILE"; fi
for report in ${REPORTS:-}; do set -- "$@" --report "$report"; done
# shellcheck disable=SC2086 # They are to be split.
set -- "$@" ${ARGUMENTS:-}
exec rightcall run "$@"
