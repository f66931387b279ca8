#!/usr/bin/env bash
# Runs the suite; the Markdown report goes to the summary of the step, annotations to the pull request.
set -euo pipefail

arguments=("${SUITE:?}" --report markdown)
if [ -n "${PROFILE:-}" ]; then arguments+=(--profile "$PROFILE"); fi
for report in ${REPORTS:-}; do arguments+=(--report "$report"); done
# Words, as a shell splits them; quotes have no meaning here.
read -r -a more <<< "${ARGUMENTS:-}"
exec rightcall run "${arguments[@]}" "${more[@]}"
