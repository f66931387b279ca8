//! Commands that screens and pages suggest: each runs as printed, and shows the case next to it.

use assert_cmd::Command;

use crate::viewing::Running;
use crate::{Place, STILL, Said, said};

/// Runs a command in a shell.
pub(crate) fn shell(place: &Place, command: &str) -> Said {
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

/// The commands on a page.
pub(crate) fn commands_of(page: &str) -> Vec<String> {
    let parts = page.split("<code").skip(1);
    let parts = parts.filter_map(|part| Some(part.split_once("</code>")?.0.split_once('>')?.1));
    let commands = parts.filter(|part| part.starts_with("rightcall "));
    commands.map(plain).collect()
}

/// The text of HTML, as a browser shows it.
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
fn suggested_explain_keeps_the_where_values() {
    let case = |model: &str, tool: &str| {
        format!(r#"{{"id":"a","model":"{model}","expected":["find"],"actual":["{tool}"]}}"#)
    };
    let place = Place::with_cases(&[case("m1", "find"), case("m2", "look")]);
    let command = "rightcall explain cases.jsonl --case a --where model=m2 -e trajectory";
    for chosen in ["--where model=m2", "--where model=m1 --where model=m2"] {
        let score = format!("score cases.jsonl -e trajectory {chosen}");
        let said = place.check(&score, &[], 0, &[]);
        assert!(
            said.stdout.contains(&format!("  {command}\n")),
            "{}",
            said.stdout
        );
    }
    assert!(shell(&place, command).stdout.contains("score 0.000"));
}

#[test]
fn truncated_comparison_suggests_a_command_that_shows_all() {
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

/// The commands in terminal or Markdown text.
fn commands_in(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| {
        let from = line
            .find("rightcall explain")
            .or(line.find("rightcall compare"))?;
        let end = line[from..]
            .find([')', '`'])
            .map_or(line.len(), |end| from + end);
        Some(line[from..end].trim().to_owned())
    });
    lines.collect()
}

/// Asserts that the shown case is listed on the screen, with the same arguments.
fn is_listed(command: &str, text: &str, shown: &str) {
    let found = shown.split("found ").nth(1);
    let amount = found.and_then(|it| it.split_whitespace().next());
    let amount = amount.unwrap_or_else(|| panic!("{shown}"));
    let called = format!("called pay(amount={amount})");
    assert!(text.contains(&called), "{command}\n{text}\n{shown}");
}

/// Asserts that the numbers of worse and better cases match the screen.
fn has_moved_as_told(command: &str, text: &str, shown: &str) {
    let numbers = |line: &str| -> Vec<u32> {
        let words = line.split(|it: char| !it.is_ascii_digit());
        words.filter_map(|word| word.parse().ok()).collect()
    };
    let told = text.split("against run 1: ").nth(1).unwrap();
    let told = told.split([':', ';']).next().unwrap();
    let head = shown
        .lines()
        .find(|line| line.contains("got worse"))
        .unwrap();
    assert_eq!(numbers(head), numbers(told), "{command}\n{text}\n{shown}");
}

/// Runs the commands on every page of a history and on every screen, and checks that each is about its neighbouring text.
#[test]
fn every_suggested_command_shows_the_same_case() {
    let case = |id: &str, model: &str, trial: u32, amount: u32| {
        format!(
            r#"{{"id":"{id}","model":"{model}","trial":{trial},"expected":[{{"name":"pay","args":{{"amount":1}}}}],"actual":[{{"name":"pay","args":{{"amount":{amount}}}}}]}}"#
        )
    };
    let ids = ["it's a \"case\"", "-k", "b"];
    let cases = |wrong: u32| -> Vec<String> {
        let models = ["gpt 4", "o'clock"].into_iter().enumerate();
        let all = models.flat_map(|(at, model)| {
            let trials = (1..3).map(move |trial| (at as u32, model, trial));
            trials.flat_map(|it| ids.map(|id| (id, it)))
        });
        let line = |(id, (at, model, trial)): (&str, (u32, &str, u32))| {
            let amount = 1 + at * 10 + trial * wrong;
            case(&id.replace('"', "\\\""), model, trial, amount)
        };
        all.map(line).collect()
    };
    let suite = "cases: cases.jsonl\nevaluators: [{evaluator: trajectory, threshold: 1}]\ngates: [{passed: '>= 99%'}]\n";
    let place = Place::with_cases(&cases(0)).with("suite.yaml", suite);
    let mut ran = 0;
    for (line, wrong) in [
        ("run suite.yaml", 0),
        ("run suite.yaml", 1),
        ("score cases.jsonl -e trajectory --by model", 1),
    ] {
        std::fs::write(place.path("cases.jsonl"), cases(wrong).join("\n")).unwrap();
        let screen = place.run(line, &[]);
        let text = format!("{}\n{}", screen.stdout, screen.stderr);
        for command in commands_in(&text) {
            let shown = shell(&place, &command).stdout;
            if command.contains("explain") {
                is_listed(&command, &text, &shown);
            } else {
                has_moved_as_told(&command, &text, &shown);
            }
            ran += 1;
        }
    }
    let viewer = Running::start(&place, &["--port", "0"], None);
    for number in 1..=12 {
        let page = viewer.get(&format!("/runs/2/cases/{number}"));
        let commands = commands_of(&page);
        let [command, accepting] = &commands[..] else {
            panic!("{page}");
        };
        assert!(accepting.starts_with("rightcall review"), "{accepting}");
        let shown = shell(&place, command).stdout;
        // The trial and the place of the page's case.
        assert!(
            shown.contains(&format!("cases.jsonl:{number}\n")),
            "{command}\n{shown}"
        );
        ran += 1;
    }
    for query in [
        "run=1&run=2",
        "run=2%40model%3Dgpt%204&run=2%40model%3Do%27clock",
    ] {
        let page = viewer.get(&format!("/compare?{query}"));
        let head = page
            .split("<h1>")
            .nth(1)
            .unwrap()
            .split("</h1>")
            .next()
            .unwrap();
        for command in commands_of(&page) {
            let shown = shell(&place, &command).stdout;
            let head = match head {
                "0 cases got worse, 0 better" => "no case moved",
                head => head,
            };
            assert!(shown.contains(head), "{command}\n{head}\n{shown}");
            ran += 1;
        }
    }
    assert!(ran >= 17, "{ran}");
}
