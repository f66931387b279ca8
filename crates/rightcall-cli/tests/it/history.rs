//! The history: its contents, its access rights, and its robustness.

use rightcall_results::Totals;
use rightcall_store::{
    CaseFilter, CaseOrder, History, PageRange, RunFilter, RunRow, StoredVerdict,
};

use crate::{Place, good, low};

pub(crate) const SUITE: &str = "cases: cases.jsonl\nevaluators:\n  - {evaluator: tool-call-order, threshold: 0.5}\n  - axion/tool-correctness\n";

pub(crate) fn history(place: &Place) -> History {
    History::open_to_read(&place.path(".rightcall/history.db")).unwrap()
}

pub(crate) fn runs(history: &History) -> Vec<RunRow> {
    history.runs(&RunFilter::default(), PageRange::ALL).unwrap()
}

#[test]
#[expect(clippy::too_many_lines, reason = "one run, seen from all sides")]
fn run_is_stored_with_its_cases_and_found_again() {
    let tagged = low("b").replacen('{', r#"{"tags":["slow"],"model":"m","trial":2,"#, 1);
    let place = Place::with_cases(&[good("a"), tagged, "{".to_owned()]).with("suite.yaml", SUITE);
    place.check("run suite.yaml -k a", &[], 2, &[]);
    place.check("run suite.yaml --skip-invalid", &[], 1, &[]);
    let history = history(&place);
    let [run, first] = &runs(&history)[..] else {
        panic!("two runs")
    };
    assert_eq!(
        (run.number, run.cases, run.failed, run.kept, run.pass_rate),
        (2, 2, 1, 2, Some(0.5))
    );
    assert_eq!(
        (first.cases, first.about.selection.as_deref()),
        (1, Some("-k a"))
    );
    assert_eq!(
        (
            run.about.started,
            run.about.suite.as_str(),
            &run.about.suite_hash
        ),
        (1_767_323_045_000, "suite.yaml", &first.about.suite_hash)
    );
    assert!(
        run.summary.starts_with(r#"{"cases":2,"unreadable":1,"#),
        "{}",
        run.summary
    );
    let labels: Vec<_> = history
        .evaluators(2)
        .unwrap()
        .into_iter()
        .map(|it| (it.label, it.totals.mean))
        .collect();
    assert_eq!(
        labels,
        [
            ("uipath/tool-call-order".into(), Some(0.5)),
            ("axion/tool-correctness".into(), Some(0.5))
        ]
    );

    let found = |filter: CaseFilter| {
        let page = history
            .cases(2, &filter, CaseOrder::Worst, PageRange::ALL)
            .unwrap();
        assert_eq!(page.total, page.cases.len() as u64);
        page.cases
            .into_iter()
            .map(|case| case.result.label)
            .collect::<Vec<_>>()
            .concat()
    };
    let all = CaseFilter::default;
    assert_eq!(found(all()), "ba");
    for (filter, labels) in [
        (
            CaseFilter {
                tool: Some("find".into()),
                ..all()
            },
            "ba",
        ),
        (
            CaseFilter {
                tool: Some("look".into()),
                ..all()
            },
            "b",
        ),
        (
            CaseFilter {
                pair: Some((Some("find".into()), Some("look".into()))),
                ..all()
            },
            "b",
        ),
        (
            CaseFilter {
                pair: Some((Some("find".into()), Some("find".into()))),
                ..all()
            },
            "a",
        ),
        (
            CaseFilter {
                pair: Some((Some("find".into()), None)),
                ..all()
            },
            "",
        ),
        (
            CaseFilter {
                tag: Some("slow".into()),
                ..all()
            },
            "b",
        ),
        (
            CaseFilter {
                failed: Some(false),
                ..all()
            },
            "a",
        ),
        (
            CaseFilter {
                verdict: Some((Some(0), StoredVerdict::Failed)),
                ..all()
            },
            "b",
        ),
        (
            CaseFilter {
                verdict: Some((Some(0), StoredVerdict::Passed)),
                ..all()
            },
            "a",
        ),
        (
            CaseFilter {
                verdict: Some((Some(1), StoredVerdict::Score(0.0, 0.5))),
                ..all()
            },
            "b",
        ),
        (
            CaseFilter {
                label: Some("A".into()),
                ..all()
            },
            "a",
        ),
        (
            CaseFilter {
                text: Some("LOOK".into()),
                ..all()
            },
            "b",
        ),
        (
            CaseFilter {
                tool: Some("look".into()),
                failed: Some(false),
                ..all()
            },
            "",
        ),
    ] {
        assert_eq!(found(filter.clone()), labels, "{filter:?}");
    }
    let second = history
        .cases(
            2,
            &all(),
            CaseOrder::Label,
            PageRange {
                offset: 1,
                limit: 5,
            },
        )
        .unwrap();
    assert_eq!(
        (second.total, second.cases[0].result.label.as_str()),
        (2, "b")
    );
    let case = history.case(2, 2).unwrap().unwrap();
    assert_eq!(
        (case.trial.as_deref(), case.tags, case.line),
        (Some("2"), vec!["slow".to_owned()], 2)
    );
    let json = &case.case.as_ref().unwrap().json;
    let head = r#"{"id":"b","expected":[{"name":"find","#;
    assert!(json.starts_with(head), "{json}");
    assert!(
        case.evaluations[0]
            .alignment()
            .unwrap()
            .starts_with(r#"{"pairs":[],"missed":[0],"extra":[0],"#)
    );
    assert_eq!(history.cases_called(2, "b").unwrap(), [2]);
    assert!(history.case(2, 3).unwrap().is_none());
    let tools: Vec<_> = history
        .tools(2)
        .unwrap()
        .into_iter()
        .map(|it| (it.expected, it.called, it.times))
        .collect();
    assert_eq!(
        tools,
        [
            (Some("find".into()), Some("find".into()), 1),
            (Some("find".into()), Some("look".into()), 1)
        ]
    );
}

#[test]
fn verdict_filter_applies_to_one_or_any_evaluator() {
    let order_alone = r#"{"id":"o","expected":{"order":["find"]},"actual":[{"name":"find"}]}"#;
    let place =
        Place::with_cases(&[good("a"), low("b"), order_alone.to_owned()]).with("suite.yaml", SUITE);
    place.check("run suite.yaml", &[], 1, &[]);
    let history = history(&place);
    let found = |position: Option<usize>, verdict: StoredVerdict| {
        let filter = CaseFilter {
            verdict: Some((position, verdict)),
            ..CaseFilter::default()
        };
        let page = history
            .cases(1, &filter, CaseOrder::Input, PageRange::ALL)
            .unwrap();
        page.cases
            .into_iter()
            .map(|case| case.result.label)
            .collect::<Vec<_>>()
            .concat()
    };
    assert_eq!(found(Some(0), StoredVerdict::NotApplicable), "");
    assert_eq!(found(Some(1), StoredVerdict::NotApplicable), "o");
    assert_eq!(found(None, StoredVerdict::NotApplicable), "o");
    assert_eq!(
        (
            found(None, StoredVerdict::Passed),
            found(None, StoredVerdict::Failed)
        ),
        ("ao".to_owned(), "b".to_owned())
    );
    assert_eq!(
        (
            found(None, StoredVerdict::Score(0.0, 0.5)),
            found(None, StoredVerdict::Error)
        ),
        ("b".to_owned(), String::new())
    );
}

#[test]
fn progress_counts_equal_the_final_summary() {
    let error = r#"{"id":"e","expected":{"order":[]},"actual":["find"]}"#.to_owned();
    let place = Place::with_cases(&[good("a"), low("b"), error]).with("suite.yaml", SUITE);
    place.run("run suite.yaml", &[]);
    let history = history(&place);
    let run = &runs(&history)[0];
    let ended = history.summary(run).unwrap().evaluators;
    assert_eq!(ended[0].totals.errors, 1);
    for (so_far, ended) in history.progress(run.number).unwrap().iter().zip(&ended) {
        let told = |it: &Totals| {
            let counts = [it.scored, it.passed, it.errors, it.not_applicable];
            (it.mean, it.pass_rate, counts)
        };
        assert_eq!(told(so_far), told(&ended.totals), "{}", ended.label);
    }
}

#[test]
fn sample_of_a_large_run_does_not_depend_on_threads() {
    let cases: Vec<_> = (0..400)
        .map(|number| {
            if number % 40 == 0 {
                low(&number.to_string())
            } else {
                good(&number.to_string())
            }
        })
        .collect();
    let suite = format!("{SUITE}history: {{max_cases: 60}}\n");
    let kept = |threads: &str| {
        let place = Place::with_cases(&cases).with("suite.yaml", &suite);
        place.check(&format!("run suite.yaml --threads {threads}"), &[], 1, &[]);
        let history = history(&place);
        let run = history.run(1).unwrap();
        let page = history
            .cases(1, &CaseFilter::default(), CaseOrder::Input, PageRange::ALL)
            .unwrap();
        assert_eq!((run.cases, run.failed, run.kept), (400, 10, page.total));
        assert_eq!(history.failed_cases(1).unwrap().len(), 10);
        page.cases
            .into_iter()
            .map(|case| case.number)
            .collect::<Vec<_>>()
    };
    let one = kept("1");
    assert!((30..=40).contains(&one.len()), "{one:?}");
    assert_eq!(one, kept("3"));
}

#[test]
fn runs_are_listed_tagged_exported_imported_and_deleted() {
    let place = Place::with_cases(&[good("a")])
        .with("suite.yaml", SUITE)
        .with("other.yaml", SUITE);
    place.check(
        "history",
        &[],
        2,
        &[
            "error: .rightcall/history.db: there is no history",
            "`rightcall run SUITE` begins one",
        ],
    );
    for suite in ["suite.yaml", "other.yaml", "suite.yaml --no-history"] {
        place.check(&format!("run {suite}"), &[], 0, &[]);
    }
    let list = |more: &str| place.check(&format!("history {more}"), &[], 0, &[]).stdout;
    assert_eq!(list("").lines().count(), 3);
    assert_eq!(list("--suite other.yaml").lines().count(), 2);
    assert!(
        list("--branch main").starts_with("no run"),
        "{}",
        list("--branch main")
    );
    assert_eq!(
        (
            list("--since 2026-01-02").lines().count(),
            list("--since 2026-01-03").lines().count()
        ),
        (3, 1)
    );
    place.check("history tag latest~1 v1", &[], 0, &[]);
    assert!(list("--tag v1").contains("tagged v1"));
    place.check("history tag latest 7", &[], 2, &["`7` cannot be a tag"]);
    place.check(
        "history untag latest v1",
        &[],
        2,
        &["run 2 has no tag `v1`"],
    );
    place.check("history export v1 v1.db", &[], 0, &[]);
    assert_eq!(
        place.check("history import v1.db", &[], 0, &[]).stdout,
        "here already as run 1\n"
    );
    place.check("history delete v1", &[], 0, &[]);
    place.check(
        "history export v1 x.db",
        &[],
        2,
        &["the history has no run `v1`"],
    );
    assert!(
        place
            .check("history import v1.db", &[], 0, &[])
            .stdout
            .contains("imported as run 3")
    );
    let again = history(&place).case(3, 1).unwrap().unwrap();
    assert!(again.evaluations.iter().all(|it| it.explanation.is_some()) && again.label == "a");
    place.check("history prune --keep 0", &[], 0, &[]);
    assert_eq!(runs(&history(&place)).len(), 1, "the tagged one");
    place.check(
        "history import suite.yaml",
        &[],
        2,
        &["suite.yaml is not a rightcall history"],
    );
    place.check("history prune", &[], 2, &["--keep"]);
}

#[test]
fn run_continues_if_it_cannot_be_recorded() {
    let place = Place::with_cases(&[good("a")])
        .with("suite.yaml", SUITE)
        .with("h.db", "something else entirely");
    let said = place.check(
        "run suite.yaml --history h.db",
        &[],
        0,
        &["this run could not be recorded", "--history FILE"],
    );
    assert!(said.stdout.contains("1 case"));
    assert_eq!(place.read("h.db"), "something else entirely");
}

#[test]
#[expect(clippy::too_many_lines, reason = "one run, seen from all sides")]
fn redacted_arguments_are_never_shown_and_scores_stay() {
    let case = |id: &str, args: &str| {
        format!(
            r#"{{"id":"{id}","expected":[{{"name":"pay","args":{{"card":{{"number":"4111"}},"amount":1}}}}],"actual":[{{"name":"pay","args":{args},"output":"{{\"number\":\"4111\"}}"}}]}}"#
        )
    };
    let same = case("same", r#"{"card":{"number":"4111"},"amount":1}"#);
    let other = case(
        "other",
        r#""{\"card\": {\"number\": \"4222\"}, \"amount\": 1}""#,
    );
    let evaluators = "evaluators: [trajectory, uipath/tool-call-args, deepeval/tool-correctness, axion/tool-correctness]\n";
    let suite = |redact: &str| format!("cases: cases.jsonl\n{evaluators}{redact}");
    let place = Place::with_cases(&[same, other])
        .with("suite.yaml", suite("redact: number\n"))
        .with("open.yaml", suite(""))
        .with("bad.yaml", suite("redact: [number, a/b]\n"));
    let secret = |text: &str| text.contains("4111") || text.contains("4222");
    let scores = |text: &str| -> Vec<String> {
        let score = |line: &str| {
            Some(
                line.split("\"score\":")
                    .nth(1)?
                    .split([',', '}'])
                    .next()?
                    .to_owned(),
            )
        };
        text.lines().filter_map(score).collect()
    };
    let lines = |suite: &str| {
        place
            .check(
                &format!("run {suite} --format jsonl --explain --no-history"),
                &[],
                0,
                &[],
            )
            .stdout
    };
    let (hidden, open) = (lines("suite.yaml"), lines("open.yaml"));
    assert!(
        secret(&open) && !secret(&hidden) && hidden.contains("[redacted 2]"),
        "{hidden}"
    );
    assert_eq!(scores(&hidden), scores(&open));
    let table = place.check("run suite.yaml", &[], 0, &[]);
    assert!(
        !secret(&table.stdout) && !secret(&table.stderr),
        "{}",
        table.stdout
    );
    let explained = place
        .check("explain suite.yaml --case other", &[], 0, &[])
        .stdout;
    assert!(
        !secret(&explained) && explained.contains("[redacted 2]"),
        "{explained}"
    );
    let stored = std::fs::read(place.path(".rightcall/history.db")).unwrap();
    assert!(
        !stored
            .windows(4)
            .any(|bytes| bytes == b"4111" || bytes == b"4222")
    );
    assert!(
        history(&place)
            .case(1, 2)
            .unwrap()
            .unwrap()
            .case
            .is_some_and(|kept| kept.json.contains("[redacted 1]"))
    );
    place.check(
        "run bad.yaml",
        &[],
        2,
        &[
            "bad.yaml:3 /redact: expected a name such as `password`",
            "found `a/b`",
        ],
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "one run, seen from all sides")]
fn redacted_values_are_in_no_result_report_page_or_export() {
    let case = |id: &str, args: &str| {
        format!(
            r#"{{"id":"{id}","trial":1,"input":"SECRET-q","output":{{"said":"SECRET-a"}},"description":"SECRET-d","tags":["SECRET-t","open"],"group":"SECRET-g","user":{{"mail":"SECRET-m"}},"expected":[{{"name":"pay","args":{{"card":"SECRET-c"}}}}],"actual":[{{"name":"pay","args":{{"card":"{args}"}},"output":"{{\"mail\":\"SECRET-o\"}}","error":"{{\"mail\":\"SECRET-e\"}}"}}]}}"#
        )
    };
    let cases = [
        case("same", "SECRET-c"),
        case("other", "SECRET-x"),
        case("other", "SECRET-c").replace("\"trial\":1", "\"trial\":2"),
    ];
    let suite = r#"cases: cases.jsonl
evaluators: [{evaluator: trajectory, threshold: 0.9}, uipath/tool-call-args, tau2/action-check]
trials: {group: group}
gates: [{passed: {pass_rate: ">= 10%"}, by: group}]
redact: [$/input, /card, $/output/said, $/description, $/tags/0, mail, $/meta/group]
"#;
    let place = Place::with_cases(&cases).with("suite.yaml", suite);
    let check = |what: &str, text: &str| {
        assert!(
            !text.contains("SECRET") && text.contains("redacted"),
            "{what}: {text}"
        );
    };
    let table = place.check("run suite.yaml --by group", &[], 0, &[]);
    check("the table", &(table.stdout + &table.stderr));
    for format in ["jsonl", "json"] {
        check(
            format,
            &place
                .check(
                    &format!("run suite.yaml --no-history --explain --format {format}"),
                    &[],
                    0,
                    &[],
                )
                .stdout,
        );
    }
    check(
        "the explanation",
        &place
            .check("explain suite.yaml --case other", &[], 0, &[])
            .stdout,
    );
    check(
        "the explanation",
        &place
            .check("explain suite.yaml --case other --format json", &[], 0, &[])
            .stdout,
    );
    for (report, shows) in [
        ("html", true),
        ("junit", true),
        ("markdown", true),
        ("csv", true),
        ("arrow", true),
    ] {
        let path = format!("{report}.out");
        place.check(
            &format!("run suite.yaml --no-history -q --report {report}={path}"),
            &[],
            0,
            &[],
        );
        let live = String::from_utf8_lossy(&std::fs::read(place.path(&path)).unwrap()).into_owned();
        place.check(
            &format!("report latest --format {report} -o {path}"),
            &[],
            0,
            &[],
        );
        let stored =
            String::from_utf8_lossy(&std::fs::read(place.path(&path)).unwrap()).into_owned();
        for text in [live, stored] {
            assert!(!text.contains("SECRET"), "{report}: {text}");
            assert!(!shows || text.contains("redacted"), "{report}: {text}");
        }
    }
    place.check("history export latest run.db", &[], 0, &[]);
    for file in [".rightcall/history.db", "run.db"] {
        let stored = std::fs::read(place.path(file)).unwrap();
        assert!(!stored.windows(6).any(|bytes| bytes == b"SECRET"), "{file}");
        assert!(
            stored.windows(8).any(|bytes| bytes == b"redacted"),
            "{file}"
        );
    }
    check(
        "the report of the export",
        &place
            .check("report run.db --format markdown", &[], 0, &[])
            .stdout,
    );
    let scores = |suite: &str| {
        let lines = place
            .check(
                &format!("run {suite} --no-history --no-details --format csv"),
                &[],
                0,
                &[],
            )
            .stdout;
        lines
            .lines()
            .map(|line| line.split(',').take(7).collect::<Vec<_>>().join(","))
            .collect::<Vec<_>>()
    };
    let open = place.path("open.yaml");
    std::fs::write(
        open,
        suite
            .lines()
            .filter(|line| !line.starts_with("redact"))
            .collect::<Vec<_>>()
            .join("\n"),
    )
    .unwrap();
    assert_eq!(
        scores("suite.yaml"),
        scores("open.yaml"),
        "scores and verdicts are those of the real values"
    );
}

#[test]
fn reports_can_be_made_from_files() {
    let tagged = low("b").replacen('{', r#"{"tags":["slow"],"trial":2,"input":"why?","#, 1);
    let passed = good("b").replacen('{', r#"{"trial":1,"#, 1);
    let place = Place::with_cases(&[good("a"), passed, tagged]).with("suite.yaml", SUITE);
    place.check("run suite.yaml --explain -o results.jsonl", &[], 1, &[]);
    place.check(
        "run suite.yaml --no-history --format json -o results.json",
        &[],
        1,
        &[],
    );
    place.check("history export latest run.db", &[], 0, &[]);
    let report = |what: &str| place.check(&format!("report {what}"), &[], 0, &[]).stdout;
    assert_eq!(report("run.db --format csv"), report("latest --format csv"));
    assert_eq!(
        report("run.db --format html").replace(" --history run.db", ""),
        report("latest --format html")
    );
    // A result line does not record the line of its case.
    let rows = |text: &str| -> Vec<String> {
        text.lines()
            .map(|line| line.split(',').take(9).collect::<Vec<_>>().join(","))
            .collect()
    };
    assert_eq!(
        rows(&report("results.jsonl --format csv")),
        rows(&report("latest --format csv"))
    );
    let page = report("results.jsonl");
    assert!(
        page.contains("holds no calls")
            && page.contains("why?")
            && page.contains("1 of 1 case is flaky"),
        "{page}"
    );
    assert!(!page.contains("Nothing is expected"), "{page}");
    assert!(report("results.json --format markdown").contains("1 of 3 cases failed."));
    assert!(report("results.json --format junit").contains("failures=\"2\""));
    place.check(
        "report cases.jsonl",
        &[],
        2,
        &["cases.jsonl:1: expected a result", "history export"],
    );
    for kept in ["kept.jsonl", "kept.ndjson"] {
        place.check(&format!("report results.jsonl -o {kept}"), &[], 0, &[]);
    }
    let kept = place.read("kept.jsonl");
    assert_eq!(kept, place.read("kept.ndjson"));
    assert!(kept.contains(r#""details":{"#), "{kept}");
    place.check(
        "report results.jsonl -o results.jsonl",
        &[],
        2,
        &["is also an input"],
    );
}

#[test]
fn run_is_named_by_its_commit_subject() {
    let place = Place::with_cases(&[good("a"), low("b")]).with("suite.yaml", SUITE);
    let git = |words: &[&str]| {
        let mut git = std::process::Command::new("git");
        let identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
        let done = git
            .args(identity)
            .args(words)
            .current_dir(place.0.path())
            .output();
        assert!(done.unwrap().status.success());
    };
    git(&["init", "-q", "-b", "trunk"]);
    git(&[
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "Ask for the reason\n\nIt was missing.",
    ]);
    place.check("run suite.yaml --quiet", &[], 1, &[]);
    let shown = place.check("explain latest", &[], 0, &[]).stdout;
    assert!(shown.contains(" “Ask for the reason”"), "{shown}");
    let page = crate::viewing::Running::start(&place, &["--port", "0"], None).get("/runs/1");
    assert!(page.contains("“Ask for the reason”"), "{page}");
}
