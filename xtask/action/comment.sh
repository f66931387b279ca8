#!/usr/bin/env bash
# Posts the report as a comment of the pull request, or updates the one that is there.
set -euo pipefail

report="${REPORT:-}"
number="${GITHUB_REF:-}"
number="${number#refs/pull/}"
number="${number%%/*}"
case "$number" in
  '' | *[!0-9]*)
    echo "no pull request, no comment"
    exit 0
    ;;
esac
if [ ! -s "$report" ]; then
  echo "no report, no comment"
  exit 0
fi
comments="repos/${GITHUB_REPOSITORY:?}/issues"
body="${RUNNER_TEMP:?}/rightcall-body.md"
# GitHub takes 65536 characters.
head -c 60000 "$report" > "$body"
MARKER="$(head -n 1 "$report")"
export MARKER
post() {
  id="$(gh api --paginate "$comments/$number/comments" --jq '.[] | select(.body | startswith(env.MARKER)) | .id' | head -n 1)" || return
  if [ -n "$id" ]; then
    gh api --silent --method PATCH "$comments/comments/$id" --field "body=@$body"
  else
    gh api --silent --method POST "$comments/$number/comments" --field "body=@$body"
  fi
}
# A pull request from a fork may not write; its checks say all the same what broke.
post || echo "::warning title=rightcall::the comment could not be written; it needs \`permissions: {pull-requests: write}\`"
