//! What stands below the options in `--help`: examples, exit codes.

const EXIT_CODES: &str = "\
Exit codes:
  0  success, or no gate or threshold is set
  1  a gate failed; without gates: a case is below a threshold that you set, an evaluator that
     judges by itself failed a case, or in `run` a case has no run
  2  wrong usage, unreadable input, an evaluation error, nothing to score, no run that matches
     a case, a gate or threshold that judged no case, or a run that another process kept out
     of the history";

/// What stands below the options of a command: examples, and exit codes where it has more than two.
pub(crate) fn after_help(name: &str) -> String {
    let examples = examples(name).join("\n");
    if matches!(name, "score" | "run") {
        format!("Examples:\n{examples}\n\n{EXIT_CODES}")
    } else {
        format!("Examples:\n{examples}")
    }
}

/// What stands below the list of commands.
pub(crate) fn after_all() -> &'static str {
    EXIT_CODES
}

/// What people do with a command: lines in words, each with one as they type it; none where there is no such command.
pub(crate) fn examples(name: &str) -> Vec<&'static str> {
    let lines = include_str!("help/examples.txt").lines();
    let behind = lines.skip_while(|line| *line != name).skip(1);
    behind.take_while(|line| !line.is_empty()).collect()
}
