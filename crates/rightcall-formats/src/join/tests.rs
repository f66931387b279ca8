use std::io::Write;

use super::*;
use crate::{Limits, ReadOptions, read_case};
use rightcall_core::call::Case;
use rightcall_core::value::Text;

fn file(bytes: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    file
}

fn build(files: &[tempfile::NamedTempFile]) -> (TraceIndex, Vec<LeftOutRun>) {
    let paths: Vec<_> = files.iter().map(|file| file.path().to_owned()).collect();
    let mut left_out = Vec::new();
    let index = TraceIndex::build(
        &paths,
        Limits::default(),
        &ReadOptions::default(),
        2,
        |it| left_out.push(it),
    )
    .unwrap();
    (index, left_out)
}

#[test]
fn an_agent_is_found_behind_its_run_and_one_that_never_came_up_made_no_call() {
    let runs = file(
        br#"{"id":"r","messages":[{"role":"assistant","name":"planner","tool_calls":[{"id":"a","function":{"name":"find","arguments":"{}"}}]}]}"#,
    );
    let name = runs.path().file_name().unwrap().to_string_lossy();
    for (join, whole) in [(Join::Id, "r"), (Join::File, &*name)] {
        let mut options = ReadOptions {
            join,
            ..ReadOptions::default()
        };
        options.choices.set("scope", "agent").unwrap();
        let paths = [runs.path().to_owned()];
        let index = TraceIndex::build(&paths, Limits::default(), &options, 2, |_| {}).unwrap();
        let find = |id: String| {
            let found = index.find(&Text::from(id), &Case::default()).unwrap();
            found.join("")
        };
        let planner = find(format!("{whole}/planner"));
        assert!(planner.contains(r#""name":"find""#), "{planner}");
        assert!(
            planner.contains(r#""meta":{"agent":"planner"}"#),
            "{planner}"
        );
        let absent = find(format!("{whole}/mailer"));
        assert_eq!(
            absent,
            format!(r#"{{"id":"{whole}/mailer","actual":[],"meta":{{"agent":"mailer"}}}}"#)
        );
        assert_eq!(find("other/mailer".to_owned()), "");
    }
}

const RUNS: &str = "{\"id\":\"a\",\"actual\":[\"x\"]}\n{\"id\":\"b\",\"trial\":1,\"actual\":[]}\n{\"id\":\"b\",\"trial\":0,\"actual\":[\"é\"]}\n";

#[test]
fn runs_are_found_in_plain_packed_and_list_files() {
    let list = format!("[{}]", RUNS.trim_end().replace('\n', ",\n"));
    for bytes in [
        RUNS.as_bytes().to_vec(),
        list.into_bytes(),
        zstd::encode_all(RUNS.as_bytes(), 1).unwrap(),
    ] {
        let (index, left_out) = build(&[file(&bytes), file(b"{\"id\":7}")]);
        assert_eq!((index.len(), left_out), (4, vec![]));
        let find = |id: &str, trial| {
            let case = Case {
                trial,
                ..Case::default()
            };
            index.find(&Text::from(id.to_owned()), &case).unwrap()
        };
        assert_eq!(find("a", None), ["{\"id\":\"a\",\"actual\":[\"x\"]}"]);
        assert_eq!(
            find("b", Some("0")),
            ["{\"id\":\"b\",\"trial\":0,\"actual\":[\"é\"]}"]
        );
        assert_eq!(find("7", None), ["{\"id\":7}"]);
        assert!(find("b", Some("2")).is_empty() && find("c", None).is_empty());
        let trials = find("b", None);
        assert_eq!(trials.len(), 2);
        assert!(
            trials[0].contains("\"trial\":1") && trials[1].contains("\"trial\":0"),
            "in input order"
        );
    }
}

#[test]
fn runs_of_one_case_by_two_models_are_two() {
    let runs = file(
        br#"{"id":"a","model":"gpt","actual":["x"]}
{"id":"a","model":"qwen","actual":["y"]}
{"id":"a","model":"gpt","actual":["z"]}
{"id":"a","actual":["w"]}
"#,
    );
    let (index, left_out) = build(std::slice::from_ref(&runs));
    assert_eq!((index.len(), left_out.len()), (3, 1));
    let find = |case: &str| {
        let case = read_case(case, &ReadOptions::default()).unwrap();
        let found = index.find(&Text::new("a"), &case).unwrap();
        let call = |run: &String| run.rsplit('"').nth(1).unwrap_or_default().to_owned();
        found.iter().map(call).collect::<String>()
    };
    assert_eq!(find(r#"{"id":"a","expected":["x"]}"#), "xyw");
    // A case's model must match; a run without a model may be of any.
    assert_eq!(find(r#"{"id":"a","model":"qwen","expected":["x"]}"#), "yw");
}

#[test]
fn what_cannot_be_found_later_is_told() {
    let files = [
        file(RUNS.as_bytes()),
        file(b"{\"id\":\"b\",\"trial\":0}\n{\"actual\":[]}\n{\"id\"\n"),
    ];
    let (index, left_out) = build(&files);
    assert_eq!(index.len(), 3);
    let name = |at: usize| files[at].path().to_string_lossy().into_owned();
    let told: Vec<_> = left_out
        .into_iter()
        .map(|it| match it {
            LeftOutRun::Duplicate { id, first, again } => format!("{id}: {first}, {again}"),
            LeftOutRun::Unreadable(error) => error.to_string(),
            LeftOutRun::WithoutId { at, .. } => at.to_string(),
        })
        .collect();
    let unreadable = format!(
        "{}:3: expected `:`, found the end of the text at column 6",
        name(1)
    );
    assert_eq!(
        told,
        [
            format!("{}:2", name(1)),
            unreadable,
            format!("b: {}:3, {}:1", name(0), name(1))
        ]
    );
}

#[test]
fn a_run_that_is_gone_is_an_error() {
    let runs = file(RUNS.as_bytes());
    let (index, _) = build(std::slice::from_ref(&runs));
    runs.as_file().set_len(10).unwrap();
    let error = index.find(&Text::new("a"), &Case::default()).unwrap_err();
    assert_eq!(error.at.line, Some(1));
    assert_eq!(
        error.help.as_deref(),
        Some("traces must not change while they are read")
    );
}

#[test]
fn a_joined_case_has_the_demands_of_one_and_the_calls_of_the_other() {
    let read = |text| read_case(text, &ReadOptions::default()).unwrap();
    let expectation =
        read(r#"{"id":"a","expected":["x"],"input":"q","tags":["t"],"level":1,"actual":["old"]}"#);
    let run = read(
        r#"{"id":"a","expected":["no"],"actual":["y"],"input":"other","output":"o","trial":2,"tags":["t","u"],"level":2,"model":"m"}"#,
    );
    let case = join_actual(expectation, run);
    assert_eq!(case.expected.calls.unwrap()[0].name, "x");
    assert_eq!(case.actual.unwrap().calls[0].name, "y");
    assert_eq!(
        (case.input, case.output, case.trial),
        (Some("\"q\""), Some("\"o\""), Some("2"))
    );
    assert_eq!(case.tags, [Text::new("t"), Text::new("u")]);
    assert_eq!(
        case.meta,
        [(Text::new("level"), "2"), (Text::new("model"), "\"m\"")]
    );
    assert!(case.native.is_none());
    // Without a run of its own, the facts are about the case.
    let run = || read(r#"{"id":"a","actual":["y"],"output":"o","level":2}"#);
    let case = join_actual(read(r#"{"id":"a","expected":["x"],"level":1}"#), run());
    assert_eq!(case.meta, [(Text::new("level"), "1")]);
    // The output of a replaced run is not the output of the new one.
    let own = r#"{"id":"a","expected":["x"],"actual":["old"],"output":"old","kept":1}"#;
    let case = join_actual(read(own), run());
    assert_eq!(case.output, Some("\"o\""));
    assert_eq!(
        case.meta,
        [(Text::new("kept"), "1"), (Text::new("level"), "2")]
    );
}

#[test]
fn the_model_of_a_replaced_run_does_not_hide_the_run_of_another_model() {
    let runs = file(
        br#"{"id":"a","model":"qwen","actual":["y"]}
{"id":"b","model":"qwen","actual":["y"]}
{"id":"b","model":"gpt","actual":["x"]}
"#,
    );
    let (index, _) = build(std::slice::from_ref(&runs));
    let find = |case: &str| {
        let case = read_case(case, &ReadOptions::default()).unwrap();
        let found = index.find(case.id.as_ref().unwrap(), &case).unwrap();
        let call = |run: &String| run.rsplit('"').nth(1).unwrap_or_default().to_owned();
        found.iter().map(call).collect::<String>()
    };
    assert_eq!(find(r#"{"id":"c","model":"gpt","actual":["z"]}"#), "");
    assert!(!index.has_differing());
    // Without a run of its own, the case is only for this model.
    assert_eq!(find(r#"{"id":"a","model":"gpt","expected":["x"]}"#), "");
    assert!(index.has_differing());
    assert_eq!(find(r#"{"id":"a","model":"gpt","actual":["z"]}"#), "y");
    // Among several runs, the model decides.
    assert_eq!(find(r#"{"id":"b","model":"gpt","actual":["z"]}"#), "x");
    assert_eq!(find(r#"{"id":"b","model":"llama","actual":["z"]}"#), "yx");
}

#[test]
fn a_joined_case_lacks_what_its_run_lacks() {
    let read = |text| read_case(text, &ReadOptions::default()).unwrap();
    let gap = r#"{"id":"a","expected":["x"],"actual":["y"],"incomplete":"a call is lost"}"#;
    let whole = r#"{"id":"a","expected":["x"],"actual":["y"]}"#;
    let joined = |expectation, run| join_actual(read(expectation), read(run)).incomplete;
    assert_eq!(joined(whole, gap), Some(Text::new("a call is lost")));
    assert_eq!(joined(gap, whole), None);
}

#[test]
fn a_run_is_called_after_its_id_its_file_or_a_value() {
    let case = crate::read_case(
        r#"{"id":"a","actual":[],"meta":{"item":7,"thread":"t\u0031"},"none":null}"#,
        &ReadOptions::default(),
    );
    let case = case.unwrap();
    let of = |join: &str, file: &str| {
        Join::parse(join)
            .of(&case, file)
            .map(|name| name.to_string())
    };
    assert_eq!(of("id", "x"), Some("a".to_owned()));
    assert_eq!(of("item", "x"), Some("7".to_owned()));
    assert_eq!(of("thread", "x"), Some("t1".to_owned()));
    assert_eq!((of("none", "x"), of("other", "x")), (None, None));
    for (file, name) in [
        ("runs/refund-7.json", "refund-7"),
        ("a.v2.jsonl.gz", "a.v2"),
        (".json", ".json"),
        ("<stdin>", "<stdin>"),
        ("d/run", "run"),
    ] {
        assert_eq!(of("file", file).as_deref(), Some(name), "{file}");
    }
}
