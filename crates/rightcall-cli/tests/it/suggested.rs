//! Commands that screens and pages suggest: each runs as it is printed, and shows what stands next to it.

use assert_cmd::Command;

use crate::viewing::Running;
use crate::{Place, STILL, Said, said};

/// Runs a command as a shell reads it.
fn shell(place: &Place, command: &str) -> Said {
    let rightcall = env!("CARGO_BIN_EXE_rightcall");
    let line = command.replacen("rightcall", "\"$RIGHTCALL\"", 1);
    let mut bash = Command::new("bash");
    bash.args(["-c", &line]).current_dir(place.0.path());
    bash.env("RIGHTCALL", rightcall).envs(STILL);
    bash.env("GIT_CEILING_DIRECTORIES", place.0.path());
    let said = said(&mut bash);
    assert!(said.code < 2, "{command}\n{}", said.stderr);
    said
}

/// The commands that a page shows.
fn commands_of(page: &str) -> Vec<String> {
    let parts = page.split("<code>").skip(1);
    let parts = parts.filter_map(|part| Some(part.split_once("</code>")?.0));
    let commands = parts.filter(|part| part.starts_with("rightcall "));
    commands.map(plain).collect()
}

/// What a browser shows of a text.
fn plain(html: &str) -> String {
    let entities = [
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&quot;", "\""),
        ("&#34;", "\""),
        ("&lt;", "<"),
        ("&#60;", "<"),
        ("&gt;", ">"),
        ("&#62;", ">"),
        ("&#38;", "&"),
        ("&amp;", "&"),
    ];
    entities
        .iter()
        .fold(html.to_owned(), |text, (entity, character)| {
            text.replace(entity, character)
        })
}

#[test]
fn a_comparison_of_parts_and_of_many_runs_names_the_command_that_shows_all() {
    let case = |at: u32, model: &str, tool: &str| {
        format!(
            r#"{{"id":"case-{at:02}","model":"{model}","expected":["find"],"actual":["{tool}"]}}"#
        )
    };
    let [one, other] = ["a, large", "it's b"];
    let first = (0..60).map(|at| case(at, one, "find"));
    let second = (0..31).map(|at| case(at, other, "look"));
    let cases: Vec<_> = first.chain(second).collect();
    let suite = "cases: cases.jsonl\nevaluators: [{evaluator: trajectory, threshold: 1}]\n";
    let place = Place::with_cases(&cases).with("suite.yaml", suite);
    for _ in 0..14 {
        place.check("run suite.yaml --quiet", &[], 1, &[]);
    }
    let viewer = Running::start(&place, &["--port", "0"], None);
    let parts = "run=1%40model%3Da%2C%20large&run=1%40model%3Dit%27s%20b";
    let page = viewer.get(&format!(
        "/compare?{parts}&cause=now%20find%20was%20not%20called"
    ));
    let commands = commands_of(&page);
    assert!(!commands.is_empty(), "{page}");
    for command in commands {
        let said = shell(&place, &command).stdout;
        assert!(said.contains("31 cases got worse"), "{command}\n{said}");
    }
    let all: Vec<_> = (1..=14).map(|run| format!("run={run}")).collect();
    let page = viewer.get(&format!("/compare?{}", all.join("&")));
    assert!(
        page.contains("left out are <bdi>run 13</bdi>, <bdi>run 14</bdi>"),
        "{page}"
    );
    let [command] = &commands_of(&page)[..] else {
        panic!("{page}");
    };
    let said = shell(&place, command).stdout;
    assert!(said.contains("run 14 of suite.yaml"), "{said}");
}
