//! `record` and `review`: turns a good run into expectations, and later shows what would change in them.

use std::fs;
use std::process::{Command, Stdio};

use super::Place;

const RUN: &str = r#"{"id":"ID","actual":[{"name":"find","args":{"id":7,"at":"AT"}},{"name":"refund","args":{"id":7},"output":"OUT"}]}"#;

fn run(id: &str, at: &str, out: &str) -> String {
    RUN.replace("ID", id).replace("AT", at).replace("OUT", out) + "\n"
}

fn place() -> Place {
    Place::new().with("good.jsonl", run("a", "1", "done") + &run("b", "1", "done"))
}

#[test]
fn recorded_run_is_the_expectation_of_later_runs() {
    let place = place();
    let said = place.check("record good.jsonl", &[], 0, &["2 cases recorded"]);
    let first = r#"{"id":"a","expected":[{"name":"find","args":{"id":7,"at":"1"}},{"name":"refund","args":{"id":7}}]}"#;
    assert_eq!(said.stdout.lines().next(), Some(first));
    place.check(
        "record good.jsonl -o expectations.jsonl",
        &[],
        0,
        &["2 cases recorded to expectations.jsonl"],
    );
    assert_eq!(place.read("expectations.jsonl"), said.stdout);
    place.check(
        "score expectations.jsonl -e trajectory,threshold=1 --traces good.jsonl",
        &[],
        0,
        &[],
    );
    place.check(
        "review expectations.jsonl --traces good.jsonl --check",
        &[],
        0,
        &["2 expectations met"],
    );
}

#[test]
fn keep_option_chooses_the_compared_parts() {
    for (keep, expected) in [
        ("names", r#"["find","refund"]"#),
        ("order", r#"{"order":["find","refund"]}"#),
        ("counts", r#"{"counts":{"find":["=",1],"refund":["=",1]}}"#),
        (
            "names,outputs",
            r#"["find",{"name":"refund","output":"done"}]"#,
        ),
        (
            "args,order",
            r#"{"calls":[{"name":"find","args":{"id":7,"at":"1"}},{"name":"refund","args":{"id":7}}],"order":["find","refund"]}"#,
        ),
    ] {
        let place = place();
        let said = place.check(
            &format!("record good.jsonl --keep {keep} -o expectations.jsonl"),
            &[],
            0,
            &[],
        );
        assert!(said.stdout.is_empty());
        let written = place.read("expectations.jsonl");
        assert_eq!(
            written.lines().next(),
            Some(&*format!(r#"{{"id":"a","expected":{expected}}}"#)),
            "{keep}"
        );
        place.check(
            "review expectations.jsonl --traces good.jsonl --check",
            &[],
            0,
            &["2 expectations met"],
        );
        let place = place.with(
            "today.jsonl",
            run("a", "1", "done").replace("refund", "send") + &run("b", "1", "refused"),
        );
        let would = if keep.contains("outputs") {
            "2 expectations would change"
        } else {
            "1 expectation would change"
        };
        place.check(
            "review expectations.jsonl --traces today.jsonl --check",
            &[],
            1,
            &[would],
        );
        place.check(
            "review expectations.jsonl --traces today.jsonl --accept-all --replace",
            &[],
            0,
            &[],
        );
        place.check(
            "review expectations.jsonl --traces today.jsonl --check",
            &[],
            0,
            &["2 expectations met"],
        );
        // Counts mention only the tools that they constrain, so a new recording would differ.
        if keep == "counts" {
            continue;
        }
        let again = place.check(&format!("record today.jsonl --keep {keep}"), &[], 0, &[]);
        assert_eq!(
            place.read("expectations.jsonl"),
            again.stdout,
            "{keep}: as if today had been recorded"
        );
    }
}

#[test]
fn ignored_arguments_stay_ignored_in_later_runs() {
    let place = place().with(
        "today.jsonl",
        run("a", "2", "done") + &run("b", "3", "done"),
    );
    place.check(
        "record good.jsonl -o expectations.jsonl",
        &["--ignore", "find:/at"],
        0,
        &[],
    );
    assert!(
        place
            .read("expectations.jsonl")
            .contains(r#"{"name":"find","args":{"id":7}}"#)
    );
    assert!(
        place
            .read("expectations.jsonl")
            .ends_with("\"recorded\":{\"ignore\":[\"find:/at\"]}}\n")
    );
    place.check(
        "review expectations.jsonl --traces today.jsonl --check",
        &[],
        0,
        &["2 expectations met"],
    );
    place.check(
        "record good.jsonl --force -o expectations.jsonl",
        &[],
        0,
        &[],
    );
    place.check(
        "review expectations.jsonl --traces today.jsonl --check",
        &[],
        1,
        &["2 expectations would change"],
    );
    place.check(
        "review expectations.jsonl --traces today.jsonl --check --ignore /at",
        &[],
        0,
        &["2 expectations met"],
    );
    place.check(
        "record good.jsonl --ignore at",
        &[],
        2,
        &["write a JSON pointer such as /created_at"],
    );
    place.check(
        "record good.jsonl --keep arguments",
        &[],
        2,
        &["there are args, names"],
    );
}

#[test]
fn review_keeps_unchanged_bytes() {
    // A byte order mark, mixed line ends, blank lines, spaces, an unknown key, and no line end at the end.
    let expectations = concat!(
        "\u{feff}{ \"id\": \"a\", \"expected\": [ {\"name\": \"find\", \"args\": {\"id\": 7.0}} , \"refund\" ], \"owner\": \"x\" }\r\n",
        "\n",
        "  {\"id\":\"b\",\"expected\":{\"counts\":{\"find\": \">= 1\" ,\"look\":[\"=\", 2]},\"constraints\":{\"forbidden\":[\"z\"]}}}  \n",
        "{\"id\":\"c\",\"expected\":[{\"name\":\"look\",\"args\":{}}]}"
    );
    let today = [
        r#"{"id":"a","actual":[{"name":"look","args":{}},{"name":"find","args":{"id":7}},{"name":"refund","args":{}}]}"#,
        r#"{"id":"b","actual":["find","find","look"]}"#,
        r#"{"id":"c","actual":[{"name":"find","args":{"s":"é\ud83d"}}]}"#,
    ];
    let place = Place::new()
        .with("expectations.jsonl", expectations)
        .with("today.jsonl", today.join("\n"));
    place.check(
        "review expectations.jsonl --traces today.jsonl --accept a b --replace --quiet",
        &[],
        0,
        &[],
    );
    let wanted = expectations
        .replace(
            "[ {\"name\": \"find\"",
            "[{\"name\":\"look\",\"args\":{}} , {\"name\": \"find\"",
        )
        .replace("\"refund\" ]", "\"refund\"]")
        .replace("[\"=\", 2]", "[\"=\",1]");
    assert_eq!(place.read("expectations.jsonl"), wanted);
    place.check(
        "review expectations.jsonl --traces today.jsonl --accept-all --replace",
        &[],
        0,
        &["1 expectation accepted"],
    );
    assert_eq!(
        place.read("expectations.jsonl"),
        wanted.replace(
            "[{\"name\":\"look\",\"args\":{}}]}",
            "[{\"name\":\"find\",\"args\":{\"s\":\"é\\ud83d\"}}]}"
        )
    );
    place.check(
        "review expectations.jsonl --traces today.jsonl --check",
        &[],
        0,
        &["3 expectations met"],
    );
}

/// Runs of case `a`, each with its calls.
const VARIANTS: [&str; 3] = [
    r#"[{"name":"find","args":{"id":7}},{"name":"refund","args":{"id":7}}]"#,
    r#"[{"name":"find","args":{"id":7}},{"name":"look","args":{}},{"name":"refund","args":{"id":7}}]"#,
    r#"[{"name":"find","args":{"id":8}},{"name":"refund","args":{"id":7}},{"name":"send","args":{"to":"x"}}]"#,
];

#[test]
fn review_adds_a_run_as_an_alternative() {
    let run = |variant: usize| format!("{{\"id\":\"a\",\"actual\":{}}}\n", VARIANTS[variant]);
    let expected = |calls: &str| format!("{{\"id\":\"a\",\"expected\":{calls},\"owner\":\"x\"}}\n");
    let mut place = Place::new().with("cases.jsonl", expected(VARIANTS[0]));
    let accept = "review cases.jsonl --traces run.jsonl --accept a";
    let score = "score cases.jsonl --traces run.jsonl -e fitness,threshold=1";
    for accepted in 1..VARIANTS.len() {
        place = place.with("run.jsonl", run(accepted));
        place.check(score, &[], 1, &[]);
        place.check(accept, &[], 0, &["1 expectation accepted"]);
        for earlier in 0..=accepted {
            place = place.with("run.jsonl", run(earlier));
            place.check(score, &[], 0, &[]);
            let check = "review cases.jsonl --traces run.jsonl --check";
            place.check(check, &[], 0, &["1 expectation met"]);
        }
    }
    let cases = place.read("cases.jsonl");
    assert!(
        cases.contains(r#"{"optional":{"name":"look","args":{}}}"#)
            && cases.ends_with(",\"owner\":\"x\"}\n"),
        "{cases}"
    );
    // If asked for, the last run alone is expected.
    let place = place.with("cases.jsonl", expected(r#"["other"]"#));
    let said = place.check(
        "review cases.jsonl --traces run.jsonl --check --replace",
        &[],
        1,
        &[],
    );
    assert!(!said.stdout.contains("alternative"), "{}", said.stdout);
    place.check(&format!("{accept} --replace"), &[], 0, &[]);
    let names = r#"["find","refund","send"]"#;
    assert_eq!(place.read("cases.jsonl"), expected(names));
}

#[test]
fn parallel_calls_are_recorded_in_any_order() {
    let expectations = r#"{"id":"a","expected":["find","look","send"]}"#;
    let together = r#"{"id":"a","actual":[{"name":"look","group":"g"},{"name":"find","group":"g"},{"name":"send"}]}"#;
    let place = Place::new()
        .with("expectations.jsonl", expectations)
        .with("today.jsonl", together);
    place.check(
        "review expectations.jsonl --traces today.jsonl --check",
        &[],
        0,
        &["1 expectation met"],
    );
    let place = place.with("today.jsonl", together.replace(r#","group":"g""#, ""));
    place.check(
        "review expectations.jsonl --traces today.jsonl --check",
        &[],
        1,
        &["1 expectation would change"],
    );
}

#[test]
fn add_option_adds_runs_without_an_expectation() {
    let place = place().with(
        "expectations.jsonl",
        r#"{"id":"a","expected":["find","refund"]}"#,
    );
    place.check(
        "review expectations.jsonl --traces good.jsonl --check",
        &[],
        0,
        &["1 run without an expectation; --add offers them too"],
    );
    let said = place.check(
        "review expectations.jsonl --traces good.jsonl --check --add",
        &[],
        1,
        &[],
    );
    assert!(
        said.stdout.contains("b · has no expectation yet"),
        "{}",
        said.stdout
    );
    place.check(
        "review expectations.jsonl --traces good.jsonl --accept-all --add --keep names",
        &[],
        0,
        &[],
    );
    let both = "{\"id\":\"a\",\"expected\":[\"find\",\"refund\"]}\n{\"id\":\"b\",\"expected\":[\"find\",\"refund\"]}\n";
    assert_eq!(place.read("expectations.jsonl"), both);
}

#[test]
fn review_shows_changes_like_explain() {
    let place = place().with(
        "today.jsonl",
        run("a", "2", "done") + &run("b", "1", "done"),
    );
    place.check("record good.jsonl -o expectations.jsonl", &[], 0, &[]);
    let said = place.check(
        "review expectations.jsonl --traces today.jsonl --check",
        &[],
        1,
        &["1 expectation met", "1 expectation would change"],
    );
    for line in [
        "a · expectations.jsonl:1 (1 of 1)",
        "≠",
        "/at   expected \"1\"   found \"2\"",
        "1 of 2 expected calls matched",
    ] {
        assert!(said.stdout.contains(line), "{line}\n{}", said.stdout);
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of commands")]
fn unreviewable_inputs_explain_why() {
    let place = place()
        .with("list.json", r#"[{"id":"a","expected":["find"]}]"#)
        .with("cases.yaml", "- id: a\n  expected: [find]\n")
        .with(
            "shape.jsonl",
            r#"{"id":"a","expected":[{"tool":"find","args":{}}],"actual":[]}"#,
        )
        .with("none.jsonl", r#"{"id":"a","actual":[]}"#)
        .with("other.jsonl", r#"{"id":"z","expected":["find"]}"#)
        .with(
            "broken.jsonl",
            "{\"id\":\"a\",\"expected\":[7]}\n{\"id\":\"b\",\"expected\":[\"find\",\"refund\"]}\n",
        );
    for file in ["list.json", "cases.yaml"] {
        place.check(
            &format!("review {file} --traces good.jsonl --accept-all"),
            &[],
            2,
            &["only plain JSON Lines are rewritten", "rightcall convert"],
        );
        place.check(
            &format!("review {file} --traces good.jsonl --check"),
            &[],
            1,
            &["1 expectation would change"],
        );
    }
    place.check(
        "review shape.jsonl --traces good.jsonl --check",
        &[],
        2,
        &["shape.jsonl:1 /expected", "rightcall convert"],
    );
    place.check(
        "review none.jsonl --traces good.jsonl --check",
        &[],
        2,
        &["rightcall record"],
    );
    place.check(
        "review other.jsonl --traces good.jsonl --check",
        &[],
        2,
        &["nothing to review"],
    );
    place.check(
        "review broken.jsonl --traces good.jsonl --check",
        &[],
        2,
        &["broken.jsonl:1 /expected/0", "1 expectation met"],
    );
    place.check(
        "review missing.jsonl --traces good.jsonl --check",
        &[],
        2,
        &["missing.jsonl"],
    );
    place.check(
        "review - --traces good.jsonl --check",
        &[],
        2,
        &["name the file"],
    );
    place.check("review good.jsonl", &[], 2, &["--traces"]);
    place.check(
        "review other.jsonl --traces good.jsonl",
        &[],
        2,
        &["there is no terminal to ask", "--check"],
    );
    let place = place
        .with("e.jsonl", r#"{"id":"refund-7","expected":["x"]}"#)
        .with("t.jsonl", r#"{"id":"refund-7","actual":["y"]}"#);
    place.check(
        "review e.jsonl --traces t.jsonl --accept refund-8",
        &[],
        2,
        &[
            "nothing would change in `refund-8`",
            "did you mean `refund-7`?",
        ],
    );
    assert_eq!(
        place.read("e.jsonl"),
        r#"{"id":"refund-7","expected":["x"]}"#
    );
}

#[test]
fn unrecordable_inputs_explain_why() {
    let place = place()
        .with("nameless.jsonl", r#"{"actual":["find"]}"#)
        .with("none.jsonl", r#"{"id":"a","expected":["find"]}"#)
        .with(
            "again.jsonl",
            run("a", "1", "x")
                + &run("a", "2", "y").replace("{\"id\":\"a\"", "{\"trial\":2,\"id\":\"a\""),
        )
        .with(
            "failed.jsonl",
            r#"{"id":"a","actual":[{"name":"find","error":"timeout"}]}"#,
        );
    place.check(
        "record nameless.jsonl -o e.jsonl",
        &[],
        2,
        &["nameless.jsonl:1: a run without `id`", "no run to record"],
    );
    place.check(
        "record none.jsonl -o e.jsonl",
        &[],
        2,
        &["no run to record"],
    );
    assert!(!place.path("e.jsonl").exists());
    place.check(
        "record good.jsonl nameless.jsonl -o e.jsonl",
        &[],
        2,
        &["2 cases recorded"],
    );
    place.check(
        "record good.jsonl -o e.jsonl",
        &[],
        2,
        &["e.jsonl: already exists", "rightcall review"],
    );
    place.check(
        "record good.jsonl -o good.jsonl",
        &[],
        2,
        &["is also an input"],
    );
    let learned = place.check(
        "record again.jsonl",
        &[],
        0,
        &[
            "1 case recorded",
            "1 case learned from several runs",
            "a: 2 runs; accepts no other sequence of tools",
        ],
    );
    assert_eq!(learned.stdout.lines().count(), 1, "{}", learned.stdout);
    place.check(
        "record again.jsonl --keep names",
        &[],
        0,
        &["1 case recorded", "the first is recorded"],
    );
    place.check("record failed.jsonl", &[], 0, &["is this a good run?"]);
}

/// Runs in a real terminal, which `script` provides on most systems.
#[test]
fn review_asks_for_each_change_at_a_terminal() {
    let place = place().with(
        "today.jsonl",
        run("a", "2", "done") + &run("b", "2", "done"),
    );
    place.check("record good.jsonl -o expectations.jsonl", &[], 0, &[]);
    let before = place.read("expectations.jsonl");
    let command = format!(
        "{} review expectations.jsonl --traces today.jsonl",
        env!("CARGO_BIN_EXE_rightcall")
    );
    let at_terminal = |keys: &str| {
        let typed = format!("printf {keys} | script -qec '{command}' /dev/null");
        Command::new("sh")
            .args(["-c", &typed])
            .current_dir(place.0.path())
            .stdin(Stdio::null())
            .output()
    };
    if Command::new("script").arg("--version").output().is_err() {
        return;
    }
    let said = at_terminal("xra").unwrap();
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(
        said.contains("a accept") && said.contains("(2 of 2)"),
        "{said}"
    );
    let after = place.read("expectations.jsonl");
    assert_eq!(
        after.lines().next(),
        before.lines().next(),
        "rejected\n{said}"
    );
    assert_eq!(
        after.lines().nth(1),
        Some(
            &*before
                .lines()
                .nth(1)
                .unwrap()
                .replace("\"at\":\"1\"", "\"at\":{\"$one_of\":[\"1\",\"2\"]}")
        ),
        "accepted\n{said}"
    );
    fs::write(place.path("expectations.jsonl"), &before).unwrap();
    at_terminal("q").unwrap();
    assert_eq!(place.read("expectations.jsonl"), before, "nothing accepted");
}

#[test]
fn review_repairs_blocks_with_the_smallest_change() {
    let expectations = concat!(
        r#"{"id":"a","expected":["find",{"any_order":["look","check"]},{"name":"pay","args":{"to":"ada"}}]}"#,
        "\n",
        r#"{"id":"b", "expected": {"calls": ["find",{"optional":"look"}], "constraints": {"max_calls": 3}}}"#,
        "\n"
    );
    let today = concat!(
        r#"{"id":"a","trial":1,"actual":[{"name":"find"},{"name":"check"},{"name":"look"},{"name":"pay","args":{"to":"ada"}}]}"#,
        "\n",
        r#"{"id":"a","trial":2,"actual":[{"name":"find"},{"name":"check"},{"name":"look"},{"name":"pay","args":{"to":"bob"}}]}"#,
        "\n",
        r#"{"id":"b","actual":[{"name":"find"},{"name":"mail","args":{}}]}"#,
        "\n"
    );
    let place = Place::new()
        .with("expectations.jsonl", expectations)
        .with("today.jsonl", today);
    let check = "review expectations.jsonl --traces today.jsonl --check";
    let said = place.check(check, &[], 1, &["2 expectations would change"]);
    for line in [
        "to accept this run too",
        "/2: pay: `to` takes another value",
        "/1: may be made before this: mail",
        "1 find()",
    ] {
        assert!(said.stdout.contains(line), "{line}\n{}", said.stdout);
    }
    place.check(
        "review expectations.jsonl --traces today.jsonl --accept b",
        &[],
        0,
        &["1 expectation accepted", "1 expectation left as before"],
    );
    let written = place.read("expectations.jsonl");
    let (a, b) = written.trim_end().split_once('\n').unwrap();
    assert_eq!(a, expectations.lines().next().unwrap());
    assert!(
        b.starts_with(r#"{"id":"b", "expected": {"calls": ["#)
            && b.ends_with(r#", "constraints": {"max_calls": 3}}}"#)
            && b.contains("mail"),
        "{b}"
    );
    place.check(
        "review expectations.jsonl --traces today.jsonl --accept-all",
        &[],
        0,
        &["1 expectation accepted"],
    );
    place.check(check, &[], 0, &["2 expectations met"]);
}
