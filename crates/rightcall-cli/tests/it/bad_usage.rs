//! Invalid command lines.

use crate::{Place, good};

#[track_caller]
fn wrong(line: &str, messages: &[&str]) {
    let said = Place::with_cases(&[good("a")]).check(line, &[], 2, messages);
    assert_eq!(said.stdout, "");
}

#[test]
fn unknown_evaluator_suggests_the_nearest() {
    let messages = [
        "error: no evaluator is called `uipath/tool-call-ordr`",
        "did you mean `uipath/tool-call-order`",
        "rightcall evaluators",
    ];
    wrong("score cases.jsonl -e uipath/tool-call-ordr", &messages);
    wrong("evaluators uipath/tool-call-ordr", &messages);
}

#[test]
fn wrong_setting_lists_its_values() {
    wrong(
        "score cases.jsonl -e axion/tool-correctness,check_paramters=true",
        &["has no setting `check_paramters`; did you mean `check_parameters`?"],
    );
    wrong(
        "score cases.jsonl -e axion/tool-correctness,parameter_matching_strategy=fuzy",
        &["takes one of", "found the text \"fuzy\""],
    );
    wrong(
        "score cases.jsonl -e axion/tool-correctness,check_parameters",
        &["`check_parameters` has no value"],
    );
    wrong(
        "score cases.jsonl -e uipath/tool-call-order,strict=true,strict=false",
        &["`strict` is given twice"],
    );
    for names in ["[refund,delete]", "refund;delete", "refund|delete"] {
        wrong(
            &format!("score cases.jsonl -e constraints,forbidden={names}"),
            &["`forbidden` takes names of tools", names],
        );
    }
    wrong(
        "score cases.jsonl -e uipath/tool-call-order,edition=latest",
        &["edition"],
    );
    wrong(
        "score cases.jsonl -e uipath/tool-call-order,threshold=NaN",
        &["`threshold` takes a number from 0 to 1, such as 0.8"],
    );
    wrong(
        "score cases.jsonl -e {\"evaluator\":\"uipath/tool-call-order\",",
        &["not a JSON object"],
    );
}

#[test]
fn unknown_choice_lists_the_choices() {
    wrong(
        "score cases.jsonl -e tool-call-order --input-format yaml",
        &["cases", "uipath", "adk"],
    );
    wrong(
        "score cases.jsonl -e tool-call-order --format xml",
        &["jsonl", "json", "csv"],
    );
    wrong(
        "score cases.jsonl -e tool-call-order --edition latest",
        &["documented or package"],
    );
    wrong(
        "score cases.jsonl -e tool-call-order --max-line huge",
        &["64MiB"],
    );
    wrong(
        "score cases.jsonl -e tool-call-order --max-depth 1000",
        &["from 1 to 512"],
    );
    wrong(
        "score cases.jsonl -e tool-call-order --threads 0",
        &["--threads", "a number from 1"],
    );
    wrong("completions tcsh", &["bash"]);
}

#[test]
fn unwritable_path_is_reported() {
    wrong(
        "score cases.jsonl -e tool-call-order -o no/such/results.csv",
        &["error: no/such/results.csv: there is no folder "],
    );
    wrong(
        "init cases.jsonl",
        &["error: cases.jsonl: is a file, expected a folder"],
    );
}

#[test]
fn unknown_group_key_is_reported() {
    let place = Place::with_cases(&[good("a")]);
    place.check(
        "score cases.jsonl -e tool-call-order --by modle",
        &[],
        0,
        &["warning: no case has modle to group by"],
    );
}

#[test]
fn missing_arguments_are_reported() {
    wrong("score cases.jsonl", &["--evaluator"]);
    wrong("score -e tool-call-order", &["FILES"]);
    wrong("run", &["there is no suite here", "rightcall init"]);
    wrong("sing", &["sing"]);
}

#[test]
fn invalid_weight_is_reported() {
    wrong(
        "score cases.jsonl -e evalite/tool-call-accuracy,weights.nameOnly=NaN",
        &["nameOnly", "a finite number"],
    );
}

/// Common errors, each with the advice that helps.
#[test]
fn common_errors_have_help() {
    let tau2 = r#"{"tasks":[{"id":"0","evaluation_criteria":{"actions":[{"action_id":"0_0","requestor":"assistant","name":"find","arguments":{},"compare_args":null}]}}],"simulations":[{"id":"s","task_id":"0","trial":0,"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c","name":"find","arguments":{},"requestor":"assistant"}]}]}]}"#;
    let flags = r#"{"id":"a","expected":[{"name":"find","args":{"x":{"$pattern":"a","$flags":"i"}}}],"actual":[]}"#;
    let nameless = r#"{"messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"find","arguments":"{}"}}]}]}"#;
    let gate = "cases: cases.jsonl\nevaluators: [trajectory]\ngates:\n  - trajectory: {mean: \">= 0\"}\n    where: {model: x}\n";
    let place = Place::with_cases(&[good("a")])
        .with(
            "suite.yaml",
            "cases: cases.jsonl\nevaluators: [trajectory]\n",
        )
        .with("list.yaml", "- id: a\n  expected: []\n")
        .with("gate.yaml", gate)
        .with("results.json", tau2)
        .with("flags.jsonl", flags)
        .with("nameless.jsonl", nameless);
    for (line, answer) in [
        (
            "score suite.yaml -e trajectory",
            "this is a suite: `rightcall run FILE` runs it",
        ),
        (
            "explain results.json",
            "these are tau2-bench results: name an evaluator with -e",
        ),
        (
            "run list.yaml",
            "a list of cases: `rightcall score FILE -e EVALUATOR`",
        ),
        (
            "score cases.jsonl -e tau2",
            "the evaluators of `tau2` are: `tau2/action-check`",
        ),
        ("run gate.yaml", "a gate has no `where`"),
        ("run gate.yaml", "tag, meta, by"),
        (
            "score cases.jsonl -e trajectory,match=subset",
            "write `match.args=subset`",
        ),
        (
            "run suite.yaml --gate worse=0",
            "gates are part of the suite",
        ),
        (
            "score flags.jsonl -e trajectory",
            "`(?i)` at its start ignores case",
        ),
        (
            "record nameless.jsonl",
            "`--join file` takes the name of the file instead",
        ),
    ] {
        place.check(line, &[], 2, &[answer]);
    }
    let twice = "score cases.jsonl -e trajectory -e trajectory";
    place.check(
        twice,
        &[],
        0,
        &["warning: trajectory is listed twice, and counts twice"],
    );
    place.check("run suite.yaml", &[], 0, &[]);
    let listed = place.run("history --since yesterday", &[]);
    assert!(listed.stdout.contains("suite.yaml"), "{}", listed.stdout);
}

#[test]
fn folder_of_traces_is_read() {
    let place = Place::with_cases(&[good("a")]);
    std::fs::create_dir(place.path("runs")).unwrap();
    std::fs::copy(place.path("cases.jsonl"), place.path("runs/one.jsonl")).unwrap();
    let said = place.run("inspect runs", &[]);
    let begin = "runs/one.jsonl · canonical cases · 1 trajectory";
    assert!(said.stdout.starts_with(begin), "{}", said.stdout);
}

/// Usage errors for which clap suggests something else.
#[test]
fn usage_errors_suggest_a_correction() {
    for (line, advice) in [
        (
            "score cases.jsonl",
            "tip: name one, such as '-e trajectory'",
        ),
        (
            "score cases.jsonl -e trajectory --case a",
            "tip: '-k TEXT' chooses the cases",
        ),
        (
            "score cases.jsonl -e trajectory --threshold 0.5",
            "tip: a threshold belongs to an evaluator: '-e trajectory,threshold=0.8'",
        ),
        (
            "run suite.yaml --baseline x",
            "tip: a baseline is part of the suite",
        ),
        (
            "guard rules.yaml",
            "tip: write '--hook' to answer Claude Code, or '-- SERVER'",
        ),
        (
            "history prune",
            "tip: '--keep N' keeps the last N runs, '--before TIME'",
        ),
        ("scor cases.jsonl", "subcommand exists: 'score'\n"),
        ("view --port 99999", "expected a number from 0 to 65535"),
        (
            "score cases.jsonl -e trajectry",
            "did you mean `trajectory` or `adk/trajectory` or `mastra/trajectory`?",
        ),
        (
            "score cases.jsonl -e trajectory,threshold=80%",
            "takes a number from 0 to 1, such as 0.8, found the text \"80%\"",
        ),
        (
            "score cases.jsonl -e trajectory,threshold=8",
            "found the number 8\n",
        ),
        (
            "report latest --format jsn",
            "did you mean `json`? Reports: html, ",
        ),
    ] {
        let said = Place::with_cases(&[good("a")]).check(line, &[], 2, &[advice]);
        assert!(!said.stderr.contains("similar argument"), "{}", said.stderr);
    }
}

/// Each error says which file, and what to do.
#[test]
fn file_errors_name_the_file_and_a_solution() {
    let place = Place::with_cases(&[good("a"), good("b")])
        .with("empty.jsonl", "")
        .with("lines.csv", good("a"))
        .with("bad.yaml", "- {call: refund, neds_before: verify}\n");
    std::fs::create_dir(place.path("dir")).unwrap();
    for (line, message) in [
        (
            "score empty.jsonl lines.csv -e trajectory",
            "help: empty.jsonl is empty; lines.csv holds no case: if these are JSON Lines, name it `.jsonl`\n",
        ),
        (
            "score http://example.org/a.jsonl -e trajectory",
            "http://example.org/a.jsonl: http is not read\n  help: download the file first",
        ),
        (
            "score cases.jsonl -e trajectory -o dir",
            "dir: it is a directory, not a file\n  help: name a file in it",
        ),
        (
            "score cases.jsonl -e trajectory -o no/x.jsonl",
            "there is no folder no\n  help: create the folder first",
        ),
        ("init cases.jsonl/x", "the folder cannot be made: "),
        (
            "history import cases.jsonl",
            "cases.jsonl is not a rightcall history\n  help: name a file that `rightcall history export` wrote",
        ),
        (
            "review cases.jsonl --traces cases.jsonl --accept-all",
            "cases.jsonl is both the expectations and the traces\n  help: name the files of new runs",
        ),
        (
            "compare cases.jsonl",
            "error: cases.jsonl:1: expected a result",
        ),
        (
            "watch cases.jsonl",
            "no rules: no file is named, and no suite is here\n  help: name a file of rules, or a suite, with --rules FILE; docs/rules.md",
        ),
        (
            "watch cases.jsonl --rules no.yaml",
            "no.yaml: no such file\n  help: name a file of rules",
        ),
        (
            "guard --hook no.yaml",
            "no.yaml: no such file\n  help: name a file of rules",
        ),
        (
            "guard --hook bad.yaml",
            "takes a key of a rule, found the key `neds_before`; did you mean `needs_before`?",
        ),
        (
            "score cases.jsonl cases.jsonl -e trajectory",
            "cases.jsonl:1: case `a` again: its file is listed twice\n  help: name each file once",
        ),
        (
            "explain cases.jsonl -e trajectory --case zzz",
            "cases.jsonl: there is no case `zzz`\n  help: ids: a, b\n",
        ),
        (
            "explain cases.jsonl:7 -e trajectory",
            "there is no case at cases.jsonl:7\n  help: `rightcall inspect cases.jsonl` shows",
        ),
    ] {
        place.check(line, &[], 2, &[message]);
    }
    let place = place.with("rules.yaml", "- verify before refund\n");
    let mut command = place.command();
    command.args("watch - --rules rules.yaml --max-line 1KiB".split(' '));
    let said = crate::said(command.write_stdin("a".repeat(3 << 10)));
    assert!(
        said.stderr.contains("a line of more than 1 KiB"),
        "{}",
        said.stderr
    );
}

/// Options that select no case name the value, and the values that cases have.
#[test]
fn options_that_select_no_case_list_existing_values() {
    let of = |id: &str, tag: &str, model: &str| {
        good(id).replacen('{', &format!(r#"{{"tags":["{tag}"],"model":"{model}","#), 1)
    };
    let place = Place::with_cases(&[
        of("alpha", "refund", "m1"),
        of("beta", "hours", "m2"),
        of("gamma", "hours", "m2"),
    ]);
    for (chosen, help) in [
        (
            "-k bta",
            "no id of a case contains `bta`; ids: beta, alpha, gamma",
        ),
        (
            "--tag refnd",
            "no case has the tag `refnd`; tags: refund, hours",
        ),
        (
            "--where model=m3",
            "no case has `m3` as its `model`; its values: m1, m2",
        ),
        ("--where modle=m1", "no case has `m1` as its `modle`"),
        (
            "-k bta --tag refnd",
            "no id of a case contains `bta`; ids: beta, alpha, gamma; no case has the tag `refnd`; tags: refund, hours",
        ),
        (
            "-k alpha --tag hours",
            "no case fits all of -k, --tag, --where, --cause and --failed",
        ),
    ] {
        let line = format!("score cases.jsonl -e trajectory {chosen}");
        let help = format!("error: no case to score (exit code 2)\n  help: {help}\n");
        place.check(&line, &[], 2, &[&help]);
    }
}
