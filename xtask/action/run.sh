#!/usr/bin/env bash
# Runs the suite; the Markdown report goes to the summary of the step, annotations to the pull request. With a run to compare with,
# what changed goes to the summary as well, and to the comment of the next step.
#
# Runs on bash 3.2, to which a list without words is an unset one.
set -euo pipefail
# Words are split at spaces and ends of lines; quotes have no meaning here, and `*` is left to the command.
set -f
IFS=$' \t\r\n'

compare="${COMPARE:-}"
set -- "${SUITE:?}" --report markdown
if [ -n "${PROFILE:-}" ]; then set -- "$@" --profile "$PROFILE"; fi
for report in ${REPORTS:-}; do set -- "$@" --report "$report"; done
if [ -n "$compare" ]; then
  of_run="${RUNNER_TEMP:?}/rightcall-run.md"
  set -- "$@" --report "markdown=$of_run"
fi
# shellcheck disable=SC2086 # They are to be split.
set -- "$@" ${ARGUMENTS:-}

code=0
rightcall run "$@" || code=$?
if [ -n "${GITHUB_OUTPUT:-}" ]; then echo "exit-code=$code" >> "$GITHUB_OUTPUT"; fi
if [ -n "$compare" ] && [ -s "$of_run" ]; then
  comment="$RUNNER_TEMP/rightcall-comment.md"
  changes="$RUNNER_TEMP/rightcall-changes.md"
  # By its first line the next run finds the comment.
  echo "<!-- rightcall $SUITE -->" > "$comment"
  # On the branch itself the run before this one is meant.
  before="$compare"
  if [ "${GITHUB_REF_NAME:-}" = "$compare" ]; then before="$compare~1"; fi
  if rightcall compare "$before" latest --suite "$SUITE" --format markdown > "$changes"; then
    cat "$changes" >> "$comment"
    if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat "$changes" >> "$GITHUB_STEP_SUMMARY"; fi
  else
    echo "There is no run of \`$compare\` to compare with yet." >> "$comment"
  fi
  { echo; echo "<details><summary>This run</summary>"; echo; cat "$of_run"; echo; echo "</details>"; } >> "$comment"
  if [ -n "${GITHUB_OUTPUT:-}" ]; then echo "comment=$comment" >> "$GITHUB_OUTPUT"; fi
fi
exit "$code"
