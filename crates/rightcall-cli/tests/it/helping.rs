//! Help at a terminal: full lists, colour, completions, examples, and the duration of a run.

use crate::{Place, Said, good, low, said};

fn lows(number: usize) -> Place {
    let cases: Vec<_> = (1..=number).map(|at| low(&format!("case-{at}"))).collect();
    Place::with_cases(&cases)
}

/// The number of low cases that a screen lists.
fn listed(said: &Said) -> usize {
    let lines = said
        .stdout
        .lines()
        .filter(|line| line.starts_with("    case-"));
    lines.count()
}

#[test]
fn limit_option_sets_the_length_of_lists() {
    let place = lows(14).with(
        "suite.yaml",
        "cases: cases.jsonl\nevaluators: [trajectory]\ngates:\n  - trajectory: {mean: '>= 0.9'}\n",
    );
    for line in ["score cases.jsonl -e trajectory", "run --no-history"] {
        let code = i32::from(line.starts_with("run"));
        let at = |more: &str| place.check(&format!("{line} {more}"), &[], code, &[]);
        assert_eq!(listed(&at("")), 5, "{line}");
        assert_eq!(listed(&at("--limit 7")), 7, "{line}");
        assert_eq!(listed(&at("--all")), 14, "{line}");
        assert_eq!(listed(&at("--limit 100")), 14, "{line}");
    }
    place.check(
        "score cases.jsonl -e trajectory --all --limit 3",
        &[],
        2,
        &["--limit"],
    );
}

#[test]
fn all_option_shows_every_case_of_gates_and_causes() {
    let case = |at: usize| {
        format!(r#"{{"id":"case-{at:02}","expected":["tool-{at}"],"actual":["other"]}}"#)
    };
    let place = Place::with_cases(&(1..=9).map(case).collect::<Vec<_>>()).with(
        "suite.yaml",
        "cases: cases.jsonl\nevaluators: [trajectory]\ngates:\n  - trajectory: {min: '>= 0.9'}\n",
    );
    let some = place.check("run --no-history", &[], 1, &[]).stdout;
    assert!(some.contains("    … and 4 more\n"), "{some}");
    assert!(some.contains(" more causes\n"), "{some}");
    let all = place.check("run --no-history --all", &[], 1, &[]).stdout;
    assert!(!all.contains("… and"), "{all}");
    assert!(all.contains("tool-9"), "{all}");
}

#[test]
fn errors_are_listed_up_to_the_limit() {
    let place = Place::new().with("cases.jsonl", "7\n".repeat(9));
    let told = |more: &str| {
        let line = format!("score cases.jsonl -e trajectory {more}");
        let said = place.run(&line, &[]);
        said.stderr.matches("error: cases.jsonl:").count()
    };
    assert_eq!([told(""), told("--limit 5"), told("--all")], [3, 5, 9]);
}

#[test]
fn limit_option_changes_only_screens() {
    let place = lows(14);
    let lines = |more: &str| {
        let line = format!("score cases.jsonl -e trajectory --format json {more}");
        place.check(&line, &[], 0, &[]).stdout
    };
    assert_eq!(lines(""), lines("--all"));
}

/// A case with this trial.
fn of_trial(id: &str, trial: u8) -> String {
    low(id).replacen('{', &format!(r#"{{"trial":{trial},"#), 1)
}

#[test]
fn trial_is_named_only_if_there_are_several() {
    let suite =
        "cases: cases.jsonl\nevaluators: [trajectory]\ngates:\n  - trajectory: {mean: '>= 0.9'}\n";
    let of = |trials: [u8; 2]| {
        let place = Place::with_cases(&[of_trial("a", trials[0]), of_trial("b", trials[1])]);
        place.with("suite.yaml", suite)
    };
    let lines = [
        ("score cases.jsonl -e trajectory", 0),
        ("run --no-history", 1),
        ("run --no-history --format markdown", 1),
        ("run --no-history --format html", 1),
        ("explain cases.jsonl --case a -e trajectory", 0),
    ];
    for (line, code) in lines {
        let one = of([0, 0]).check(line, &[], code, &[]).stdout;
        assert!(!one.contains("(trial"), "{line}\n{one}");
        assert!(one.contains('a'), "{line}");
        let two = of([0, 1]).check(line, &[], code, &[]).stdout;
        if !line.starts_with("explain") {
            assert!(two.contains("(trial 1)"), "{line}\n{two}");
        }
    }
}

#[test]
fn colour_option_is_followed() {
    let place = Place::with_cases(&[good("a"), low("b")]);
    let has_colour = |line: &str, variables: &[(&str, &str)]| {
        let mut command = place.command();
        let words = line.split_whitespace();
        let said = said(command.envs(variables.iter().copied()).args(words));
        assert_eq!(said.code, 0, "{}", said.stderr);
        said.stdout.contains('\u{1b}')
    };
    let score = "score cases.jsonl -e trajectory";
    for (line, variables, wanted) in [
        (score.to_owned(), &[][..], false),
        (score.to_owned(), &[("FORCE_COLOR", "1")], true),
        (format!("{score} --color always"), &[], true),
        (
            format!("--color always {score}"),
            &[("NO_COLOR", "1")],
            true,
        ),
        (
            format!("{score} --color never"),
            &[("FORCE_COLOR", "1")],
            false,
        ),
        (format!("{score} --color=auto"), &[], false),
        ("--color always evaluators".to_owned(), &[], true),
    ] {
        assert_eq!(has_colour(&line, variables), wanted, "{line} {variables:?}");
    }
    place.check(
        &format!("{score} --color blue"),
        &[],
        2,
        &["always", "never"],
    );
}

/// The completions after these words.
fn offered(place: &Place, words: &[&str]) -> Vec<String> {
    let mut command = place.command();
    let said = said(
        command
            .env("RIGHTCALL_COMPLETE", "fish")
            .args(["--", "rightcall"])
            .args(words),
    );
    assert_eq!(said.code, 0, "{}", said.stderr);
    let value = |line: &str| line.split('\t').next().unwrap_or_default().to_owned();
    said.stdout.lines().map(value).collect()
}

#[test]
fn values_are_completed() {
    let place = Place::with_cases(&[
        good("refund-7").replacen('{', r#"{"model":"gpt","domain":"shop","#, 1),
        low("refund-8"),
    ])
    .with(
        "suite.yaml",
        "cases: cases.jsonl\nevaluators: [trajectory]\n",
    );
    let has = |words: &[&str], wanted: &[&str]| {
        let offered = offered(&place, words);
        for value in wanted {
            assert!(
                offered.iter().any(|it| it == value),
                "{words:?}: {value}, {offered:?}"
            );
        }
        offered
    };
    // Without a history there are no runs to complete.
    assert!(
        !offered(&place, &["explain", ""])
            .iter()
            .any(|it| it == "latest")
    );
    place.check("run --quiet", &[], 0, &[]);
    place.check("history tag 1 release", &[], 0, &[]);
    let some = has(
        &["score", "cases.jsonl", "-e", "ax"],
        &["axion/tool-correctness"],
    );
    assert_eq!(some.len(), 1);
    has(
        &["score", "-e", "axion/tool-correctness,thr"],
        &["axion/tool-correctness,threshold="],
    );
    has(&["convert", "--to", "o"], &["openai-chat", "otlp"]);
    has(&["inspect", "--input-format", "ot"], &["otlp"]);
    has(&["score", "--report", "mark"], &["markdown"]);
    has(
        &["score", "--read", "ord"],
        &["order=start", "order=document"],
    );
    has(&["compare", ""], &["1", "latest", "release", "cases.jsonl"]);
    has(&["history", "untag", "rel"], &["release"]);
    has(&["explain", "--case", "refund"], &["refund-7", "refund-8"]);
    has(&["run", "--by", ""], &["model", "domain", "tag"]);
    has(&["compare", "--by", "model,d"], &["model,domain"]);
    has(&["score", "--where", "mo"], &["model="]);
    has(&["--color", "a"], &["auto", "always"]);
}

#[test]
fn shells_get_completions() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let line = format!("completions {shell}");
        let script = Place::new().check(&line, &[], 0, &[]).stdout;
        assert!(script.contains("RIGHTCALL_COMPLETE"), "{shell}");
    }
}

/// Completion works in an interactive bash.
#[cfg(unix)]
#[test]
fn bash_completion_script_works() {
    let place = Place::new();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_rightcall"));
    let mut path = std::ffi::OsString::from(program.parent().unwrap());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    let script = r#"source <(rightcall completions bash)
        COMP_WORDS=(rightcall score -e ragas/tool-call-f); COMP_CWORD=3; COMP_TYPE=9
        _clap_complete_rightcall rightcall ragas/tool-call-f -e 2>/dev/null
        printf '%s\n' "${COMPREPLY[@]}""#;
    let mut bash = assert_cmd::Command::new("bash");
    let said = said(
        bash.args(["-c", script])
            .env("PATH", path)
            .current_dir(place.0.path()),
    );
    assert_eq!(said.stdout.trim(), "ragas/tool-call-f1", "{}", said.stderr);
}

#[test]
fn help_has_groups_examples_and_exit_codes() {
    let place = Place::new();
    let all = place.run("--help", &[]).stdout;
    for part in [
        "\nJudge:\n  score ",
        "\nRead traces:\n  inspect ",
        "\nExit codes:\n",
    ] {
        assert!(all.contains(part), "{part}\n{all}");
    }
    let score = place.run("score --help", &[]).stdout;
    for part in ["\nExamples:\n  # ", "\nWhich cases:\n", "\nExit codes:\n"] {
        assert!(score.contains(part), "{part}\n{score}");
    }
    assert!(
        place
            .run("history --help", &[])
            .stdout
            .contains("\nExamples:\n")
    );
}

/// The duration is not a result: piped output is the same in each run.
#[test]
fn elapsed_time_is_not_printed_to_pipes() {
    let said = lows(3).check("score cases.jsonl -e trajectory", &[], 0, &[]);
    assert!(!said.stderr.contains("a second"), "{}", said.stderr);
}

/// `script` from util-linux runs a command in a terminal.
#[cfg(target_os = "linux")]
#[test]
fn elapsed_time_is_printed_at_a_terminal() {
    let place = lows(3);
    let line = format!(
        "{} score cases.jsonl -e trajectory",
        env!("CARGO_BIN_EXE_rightcall")
    );
    let mut command = assert_cmd::Command::new("script");
    command
        .args(["-qec", &line, "/dev/null"])
        .current_dir(place.0.path());
    let Ok(output) = command.output() else {
        // Without `script`, this test cannot run.
        return;
    };
    let screen = String::from_utf8_lossy(&output.stdout);
    let time = screen
        .find("3 cases in ")
        .unwrap_or_else(|| panic!("{screen}"));
    assert!(screen[time..].contains(" a second"), "{screen}");
    assert!(screen[time..].contains("rightcall explain"), "{screen}");
}
