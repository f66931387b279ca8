//! `view --edit` and `review --run`: which requests change a file, which file, and how.

use std::fs;

use crate::suggested::{commands_of, shell};
use crate::viewing::Running;
use crate::{Place, good, low};

const SUITE: &str = "cases: cases.jsonl\nevaluators: [{evaluator: trajectory, threshold: 1}]\n";
const ACCEPT: &str = "/runs/1/cases/2/accept";

/// A place with a run in its history whose second case is low.
fn place() -> Place {
    let place = Place::with_cases(&[good("a"), low("b")]).with("suite.yaml", SUITE);
    place.check("run suite.yaml --quiet", &[], 1, &[]);
    place
}

/// The value of a hidden field of a form.
fn field<'p>(page: &'p str, name: &str) -> &'p str {
    let (_, rest) = page
        .split_once(&format!("name=\"{name}\" value=\""))
        .unwrap_or_else(|| panic!("no field {name}:\n{page}"));
    rest.split_once('"').unwrap().0
}

/// The fields of a form, as a browser sends them.
fn fields(page: &str) -> String {
    format!(
        "token={}&file={}",
        field(page, "token"),
        field(page, "file")
    )
}

/// Sends a form with these further headers. Returns the response.
fn post(viewer: &Running, path: &str, headers: &str, body: &str) -> String {
    viewer.ask(&format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\n{headers}Connection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
        viewer.host,
        body.len()
    ))
}

fn own_origin(viewer: &Running) -> String {
    format!("Origin: http://{}\r\n", viewer.host)
}

#[track_caller]
fn starts(answer: &str, status: &str) {
    assert!(
        answer.starts_with(&format!("HTTP/1.1 {status}")),
        "{answer}"
    );
}

#[test]
fn only_a_form_with_the_current_token_changes_a_file() {
    let place = place();
    let before = place.read("cases.jsonl");
    let viewer = Running::start(&place, &["--port", "0", "--edit"], None);
    let page = viewer.get(ACCEPT);
    starts(&page, "200");
    let [own, sent] = [own_origin(&viewer), fields(&page)];
    let other_start = Running::start(&place, &["--port", "0", "--edit"], None);
    let other = fields(&other_start.get(ACCEPT));
    assert_ne!(other, sent);
    let file = format!("file={}", field(&page, "file"));
    for (headers, body) in [
        ("", sent.as_str()),
        ("Origin: null\r\n", &sent),
        ("Origin: http://evil.example\r\n", &sent),
        (&own.replace("http:", "https:"), &sent),
        (&format!("{own}Origin: http://evil.example\r\n"), &sent),
        (&own, &other),
        (&own, &file),
        (&own, &format!("token=&{file}")),
        (&own, ""),
    ] {
        starts(&post(&viewer, ACCEPT, headers, body), "403");
        assert_eq!(place.read("cases.jsonl"), before, "{headers}{body}");
    }
    // A link or an image of another site can only send a GET.
    starts(&viewer.get(&format!("{ACCEPT}?{sent}")), "200");
    assert_eq!(place.read("cases.jsonl"), before);
    starts(&post(&viewer, ACCEPT, &own, &sent), "303");
    // The expectation accepts these calls, and those before.
    let find = r#"{"name":"find","args":{"id":7}}"#;
    let either = format!("{{\"one_of\":[{find},{}]}}", find.replace("find", "look"));
    let list = |element: &str| format!(r#""b","expected":[{element}]"#);
    let wanted = before.replace(&list(find), &list(&either));
    assert_ne!(wanted, before);
    assert_eq!(place.read("cases.jsonl"), wanted);
    assert!(
        viewer
            .get(ACCEPT)
            .contains("cases.jsonl expects these calls")
    );
    // The form was about the file before.
    starts(&post(&viewer, ACCEPT, &own, &sent), "409");
    assert_eq!(place.read("cases.jsonl"), wanted);
}

#[test]
fn without_edit_no_request_changes_a_file() {
    let place = place();
    let before = place.read("cases.jsonl");
    let viewer = Running::start(&place, &["--port", "0"], None);
    starts(&viewer.get(ACCEPT), "404");
    assert!(!viewer.get("/runs/1/cases/2").contains("data-accept"));
    let own = own_origin(&viewer);
    for (page, status) in [(ACCEPT, "404"), ("/runs/1/cases/2", "405"), ("/", "405")] {
        starts(&post(&viewer, page, &own, "token=&file="), status);
    }
    assert_eq!(place.read("cases.jsonl"), before);
    let help = "leave --host out, so that only this machine can";
    place.check("view --edit --host 0.0.0.0 --port 0", &[], 2, &[help]);
}

#[test]
fn concurrently_changed_file_is_not_overwritten() {
    let place = place();
    let viewer = Running::start(&place, &["--port", "0", "--edit"], None);
    let sent = fields(&viewer.get(ACCEPT));
    let changed = format!("{}{}\n", place.read("cases.jsonl"), good("c"));
    fs::write(place.path("cases.jsonl"), &changed).unwrap();
    let answer = post(&viewer, ACCEPT, &own_origin(&viewer), &sent);
    starts(&answer, "409");
    assert!(answer.contains("The file has changed since"), "{answer}");
    assert_eq!(place.read("cases.jsonl"), changed);
}

#[test]
fn only_json_lines_below_the_suite_folder_are_changed() {
    let place = Place::with_cases(&[low("b")]);
    fs::create_dir(place.path("inner")).unwrap();
    fs::write(
        place.path("inner/yaml.yaml"),
        "- {id: b, expected: [find], actual: [look]}\n",
    )
    .unwrap();
    let suites = [
        ("../cases.jsonl", "is not below the folder of the suite"),
        ("yaml.yaml", "is not plain JSON Lines"),
        #[cfg(unix)]
        ("link.jsonl", "is not below the folder of the suite"),
    ];
    #[cfg(unix)]
    std::os::unix::fs::symlink(place.path("cases.jsonl"), place.path("inner/link.jsonl")).unwrap();
    for (number, (cases, message)) in suites.into_iter().enumerate() {
        let suite = SUITE.replace("cases.jsonl", cases);
        fs::write(place.path("inner/suite.yaml"), suite).unwrap();
        place.check("run inner/suite.yaml --quiet", &[], 1, &[]);
        let viewer = Running::start(&place, &["--port", "0", "--edit"], None);
        let page = viewer.get(&format!("/runs/{}/cases/1/accept", number + 1));
        starts(&page, "409");
        assert!(page.contains(message), "{message}\n{page}");
    }
    // A case whose values are redacted.
    let redacting = format!("{SUITE}redact: [id]\n");
    let place = place.with("suite.yaml", redacting);
    place.check("run suite.yaml --quiet", &[], 1, &[]);
    let viewer = Running::start(&place, &["--port", "0", "--edit"], None);
    let page = viewer.get(&format!("/runs/{}/cases/1/accept", suites.len() + 1));
    assert!(
        page.contains("only a redacted copy of these calls"),
        "{page}"
    );
    let line = format!("review cases.jsonl --run {} --check", suites.len() + 1);
    place.check(&line, &[], 2, &["review the original run instead"]);
}

/// Ids with quotes, models and trials: the page and its command make the same file, and other models keep their lines.
#[test]
fn copied_command_equals_the_button() {
    let models = ["gpt 4", "o'clock"].into_iter().enumerate();
    let cases = models.flat_map(|(at, model)| {
        let line = move |(id, trial): (&str, usize)| {
            format!(
                r#"{{"id":"{id}","model":"{model}","trial":{trial},"expected":[{{"name":"pay","args":{{"amount":1}}}}],"actual":[{{"name":"pay","args":{{"amount":{}}}}}]}}"#,
                10 * at + trial + 1
            )
        };
        [(r#"it's a \"case\""#, 1), ("-k", 1), ("b", 1), ("b", 2)].map(line)
    });
    let cases: Vec<_> = cases.collect();
    let place = Place::with_cases(&cases).with("suite.yaml", SUITE);
    place.check("run suite.yaml --quiet", &[], 1, &[]);
    let before = place.read("cases.jsonl");
    let viewer = Running::start(&place, &["--port", "0", "--edit"], None);
    for number in 1..=cases.len() {
        let case = format!("/runs/1/cases/{number}");
        let accept = format!("{case}/accept");
        let sent = fields(&viewer.get(&accept));
        starts(&post(&viewer, &accept, &own_origin(&viewer), &sent), "303");
        let accepted = place.read("cases.jsonl");
        let same = accepted.lines().zip(before.lines());
        let changed = same.filter(|(after, before)| after != before).count();
        // Both trials of `b` share an expectation.
        assert_eq!(
            changed,
            if cases[number - 1].contains("\"b\"") {
                2
            } else {
                1
            },
            "{number}"
        );
        fs::write(place.path("cases.jsonl"), &before).unwrap();
        let commands = commands_of(&viewer.get(&case));
        let review = commands
            .iter()
            .find(|it| it.starts_with("rightcall review"));
        let review = review.unwrap_or_else(|| panic!("{commands:?}"));
        let said = shell(&place, review);
        assert_eq!(said.code, 0, "{review}\n{}", said.stderr);
        assert_eq!(place.read("cases.jsonl"), accepted, "{review}");
        fs::write(place.path("cases.jsonl"), &before).unwrap();
    }
    let line = "review cases.jsonl --run latest --accept none";
    place.check(line, &[], 2, &["run 1 has no such case"]);
    let said = place.check("review cases.jsonl --run 1 --accept-all", &[], 0, &[]);
    assert!(
        said.stderr.contains("8 expectations accepted"),
        "{}",
        said.stderr
    );
}
