//! The viewer: which requests it answers, how long it runs, and that it changes no file.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use crate::{Place, STILL, good, low};

const SUITE: &str =
    "cases: cases.jsonl\nevaluators:\n  - {evaluator: tool-call-order, threshold: 0.5}\n";

/// A viewer that runs until the test ends.
pub(crate) struct Running {
    child: Child,
    /// The printed address, such as `127.0.0.1:7300`.
    pub(crate) host: String,
}

impl Running {
    /// Starts a viewer of the history in a place, with an optional limit on open files.
    pub(crate) fn start(place: &Place, arguments: &[&str], files: Option<u32>) -> Self {
        Self::try_start(place, arguments, files).expect("a viewer")
    }

    /// Like [`Running::start`], but returns `None` if the viewer ends at once.
    fn try_start(place: &Place, arguments: &[&str], files: Option<u32>) -> Option<Self> {
        let limit = files.map_or_else(String::new, |files| format!("ulimit -n {files} && "));
        let mut command = Command::new("sh");
        command
            .args([
                "-c",
                &format!("{limit}exec \"$0\" \"$@\""),
                env!("CARGO_BIN_EXE_rightcall"),
                "view",
            ])
            .args(arguments);
        command
            .current_dir(place.0.path())
            .envs(STILL)
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap())
            .lines()
            .map_while(Result::ok);
        let printed = lines.find(|line| line.starts_with("http://"));
        let Some(printed) = printed else {
            child.wait().unwrap();
            return None;
        };
        let host = printed
            .trim_start_matches("http://")
            .split('/')
            .next()
            .unwrap()
            .to_owned();
        // Drain later messages, so that a full pipe does not block it.
        std::thread::spawn(move || lines.for_each(drop));
        Some(Self { child, host })
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.host).unwrap()
    }

    /// Sends these lines and returns the response.
    pub(crate) fn ask(&self, head: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    pub(crate) fn get(&self, page: &str) -> String {
        self.ask(&format!(
            "GET {page} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            self.host
        ))
    }

    fn status(&self, head: &str) -> u16 {
        self.ask(head).split(' ').nth(1).unwrap().parse().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// A place with two runs in its history.
fn place() -> Place {
    let place = Place::with_cases(&[good("a"), low("b")]).with("suite.yaml", SUITE);
    place.check("run suite.yaml", &[], 1, &[]);
    place.check("run suite.yaml", &[], 1, &[]);
    place
}

/// The limit on open files of this process.
fn open_files() -> usize {
    let said = Command::new("sh")
        .args(["-c", "ulimit -n"])
        .output()
        .unwrap();
    String::from_utf8_lossy(&said.stdout)
        .trim()
        .parse()
        .unwrap_or(usize::MAX)
}

#[test]
fn viewer_survives_two_thousand_idle_connections() {
    let place = place();
    // Other tests in this process need files too.
    let idle = (open_files() / 2).min(2000);
    for files in [None, Some(1024), Some(48)] {
        let mut viewer = Running::start(&place, &["--port", "0"], files);
        let mut connections: Vec<_> = (0..idle).map(|_| viewer.connect()).collect();
        for (number, connection) in connections.iter_mut().enumerate() {
            // Half of them have sent part of a request. Writing to a dropped connection fails.
            _ = connection.write_all(if number % 2 == 0 {
                b"GET / HTTP/1.1\r\nHost: loc"
            } else {
                b""
            });
        }
        for page in [
            "/",
            "/runs/1",
            "/runs/1/cases/1",
            "/compare?run=1&run=2",
            "/style.css",
        ] {
            let answer = viewer.get(page);
            assert!(
                answer.starts_with("HTTP/1.1 200 OK\r\n"),
                "{files:?} {page}: {answer}"
            );
        }
        assert!(viewer.child.try_wait().unwrap().is_none());
        drop(connections);
        assert!(viewer.get("/").starts_with("HTTP/1.1 200 OK\r\n"));
    }
}

#[test]
fn printed_address_is_served() {
    let place = place();
    for (host, printed) in [
        ("127.0.0.1", "127.0.0.1"),
        ("127.0.0.2", "127.0.0.2"),
        ("localhost", "127.0.0.1"),
        ("::1", "[::1]"),
        ("[::1]", "[::1]"),
        ("::ffff:127.0.0.1", "[::ffff:127.0.0.1]"),
    ] {
        // A machine may lack IPv6, or have only one loopback address.
        let Some(viewer) = Running::try_start(&place, &["--port", "0", "--host", host], None)
        else {
            assert_ne!(printed, "127.0.0.1");
            continue;
        };
        let port = viewer.host.rsplit(':').next().unwrap().to_owned();
        assert_eq!(viewer.host, format!("{printed}:{port}"));
        assert!(viewer.get("/").starts_with("HTTP/1.1 200 OK\r\n"), "{host}");
        for name in [
            "localhost",
            "LOCALHOST",
            "127.0.0.1",
            "[::1]",
            "127.9.9.9",
            "rightcall.localhost",
        ] {
            assert_eq!(
                viewer.status(&format!(
                    "GET / HTTP/1.1\r\nHost: {name}:{port}\r\nConnection: close\r\n\r\n"
                )),
                200,
                "{host} {name}"
            );
        }
    }
    place.check(
        "view --host example.com",
        &[],
        2,
        &["127.0.0.1 or ::1, or localhost"],
    );
}

/// An error does not count as passed, neither in the list nor on the page of the case.
#[test]
fn errors_are_marked_the_same_on_all_pages() {
    let error = r#"{"id":"e","expected":{"order":[]},"actual":["find"]}"#.to_owned();
    let place = Place::with_cases(&[good("a"), error]).with("suite.yaml", crate::history::SUITE);
    place.run("run suite.yaml", &[]);
    let viewer = Running::start(&place, &["--port", "0"], None);
    for (page, marked) in [
        (
            "/runs/1",
            "<td class=\"number bad\" data-head=\"uipath/tool-call-order\">error</td>",
        ),
        ("/runs/1/cases/2", "<strong class=\"bad\">error</strong>"),
    ] {
        let said = viewer.get(page);
        assert!(said.contains(marked), "{page}\n{said}");
    }
    let report = place.run("report latest --format html", &[]).stdout;
    assert!(
        report.contains("<span class=\"bad\">error</span>"),
        "{report}"
    );
}

/// A comparison uses the same words as every other table.
#[test]
fn comparison_page_agrees_with_reports() {
    let place = place().with("cases.jsonl", [good("a"), good("b")].join("\n"));
    place.check("run suite.yaml", &[], 0, &[]);
    let report = place.check("compare 2 3 --format html", &[], 0, &[]).stdout;
    let page = Running::start(&place, &["--port", "0"], None).get("/compare?run=2&run=3");
    for said in [
        ">not enough cases (p = 1.000)</td>",
        "(0 of 2 worse, 1 better, p = 1.000)",
        "; a change of 0.05 would show with about",
        "<h1>0 cases got worse, 1 better</h1>",
    ] {
        assert!(report.contains(said), "{said}\n{report}");
        assert!(page.contains(said), "{said}\n{page}");
    }
}

#[test]
fn all_changes_from_a_perfect_run_are_listed() {
    let cases = |of: fn(&str) -> String| {
        let cases = (0..250).map(|at| of(&format!("case-{at:03}")));
        cases.collect::<Vec<_>>().join("\n")
    };
    let suite = "cases: cases.jsonl\nevaluators: [{evaluator: trajectory, threshold: 1}]\n";
    let place = Place::new().with("suite.yaml", suite);
    for (of, code) in [(good as fn(&str) -> String, 0), (low, 1)] {
        fs::write(place.path("cases.jsonl"), cases(of)).unwrap();
        place.check("run suite.yaml --quiet", &[], code, &[]);
    }
    let page = Running::start(&place, &["--port", "0"], None).get("/compare?run=1&run=2");
    assert!(
        page.contains("<strong>250</strong> newly failing"),
        "{page}"
    );
    assert!(
        page.contains("<span class=\"worse\">250 worse</span>"),
        "{page}"
    );
    assert!(!page.contains("Listed and counted are"), "{page}");
}

#[test]
fn requests_need_exactly_one_valid_host_header() {
    let place = place();
    let viewer = Running::start(&place, &["--port", "0"], None);
    let host = &viewer.host;
    for (head, status) in [
        (format!("Host: {host}"), 200),
        ("Host: localhost".to_owned(), 200),
        ("Host: evil.example".to_owned(), 403),
        ("Host: localhost.evil.example".to_owned(), 403),
        ("Host: 10.0.0.1".to_owned(), 403),
        (format!("Host: {host}\r\nHost: {host}"), 400),
        (format!("Host: {host}\r\nhost: evil.example"), 400),
        ("X: y".to_owned(), 400),
        ("Host:".to_owned(), 400),
        ("Host: user@localhost".to_owned(), 400),
        ("Host: localhost:99999".to_owned(), 400),
        ("Host: localhost, evil.example".to_owned(), 400),
    ] {
        assert_eq!(
            viewer.status(&format!(
                "GET / HTTP/1.1\r\n{head}\r\nConnection: close\r\n\r\n"
            )),
            status,
            "{head}"
        );
    }
    let whole = |asked: &str| {
        viewer.status(&format!(
            "GET http://{asked}/ HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        ))
    };
    assert_eq!((whole(host), whole("evil.example")), (200, 400));
}

/// Every file below a place, with its bytes.
fn files(place: &Place) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for folder in [place.0.path().to_owned(), place.path(".rightcall")] {
        let Ok(entries) = fs::read_dir(folder) else {
            continue;
        };
        for path in entries
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_file())
        {
            found.insert(path.display().to_string(), fs::read(path).unwrap());
        }
    }
    found
}

#[test]
fn viewing_does_not_change_the_history() {
    let place = place().with("empty.db", "").with("text.db", "no history");
    place.check(
        "score cases.jsonl -e trajectory -o results.jsonl",
        &[],
        0,
        &[],
    );
    let before = files(&place);
    let said = "error: empty.db is not a rightcall history";
    for line in [
        "view --port 0 --history empty.db",
        "history --history empty.db",
        "compare latest --history empty.db",
        "report --history empty.db",
        "history tag latest t --history text.db",
    ] {
        let said = if line.contains("text.db") {
            "error: text.db is not a rightcall history"
        } else {
            said
        };
        place.check(line, &[], 2, &[said]);
    }
    place.check(
        "view --port 0 --history missing.db",
        &[],
        2,
        &["error: missing.db: there is no history"],
    );
    for line in [
        "history",
        "compare latest latest~1",
        "report latest -o /dev/null",
        "run suite.yaml --no-history",
    ] {
        place.run(line, &[]);
    }
    let viewer = Running::start(&place, &["--port", "0"], None);
    for page in [
        "/",
        "/runs/1",
        "/runs/9",
        "/runs/1/cases/1",
        "/compare?run=1&run=2",
        "/nothing",
        "/evaluators/trajectory",
    ] {
        assert!(viewer.get(page).contains("<html"), "{page}");
    }
    // An empty file instead of the history is not a history either.
    let history = place.path(".rightcall/history.db");
    let bytes = fs::read(&history).unwrap();
    fs::write(&history, "").unwrap();
    assert!(viewer.get("/").starts_with("HTTP/1.1 500 "));
    assert_eq!(fs::read(&history).unwrap(), b"");
    fs::write(&history, bytes).unwrap();
    assert!(viewer.get("/").starts_with("HTTP/1.1 200 "));
    drop(viewer);
    assert_eq!(
        files(&place).keys().collect::<Vec<_>>(),
        before.keys().collect::<Vec<_>>()
    );
    assert!(files(&place) == before);
}
