//! Files in object stores are read like local files. The tests run servers that behave like S3, Google Cloud Storage and Azure.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::readme::root;
use crate::{Place, Said, good, low, said};

/// The objects of the bucket `shop`, by name.
type Objects = BTreeMap<&'static str, Vec<u8>>;

/// A request: its first line, and the first byte of its range.
#[derive(Clone, Debug)]
struct Asked {
    line: String,
    from: usize,
    is_signed: bool,
}

/// A response: the status, the body, and where to cut the connection.
type Answer = (u16, Vec<u8>, Option<usize>);

struct Store {
    url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Store {
    /// `special` answers requests; it gets the number of earlier requests. If it returns `None`, the store answers as usual.
    fn new(
        objects: Objects,
        mut special: impl FnMut(&Asked, usize) -> Option<Answer> + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let Some(one) = read(&stream) else { continue };
                let before = kept.lock().unwrap().len();
                kept.lock().unwrap().push(one.clone());
                let answer = special(&one, before).unwrap_or_else(|| as_store(&one, &objects));
                write(&mut stream, &one, &answer);
            }
        });
        Self { url, asked }
    }

    fn plain(objects: Objects) -> Self {
        Self::new(objects, |_, _| None)
    }

    fn run(&self, place: &Place, line: &str) -> Said {
        let account = format!(
            r#"{{"gcs_base_url":"{}","disable_oauth":true,"client_email":"","private_key":"","private_key_id":""}}"#,
            self.url
        );
        fs::write(place.path("account.json"), account).unwrap();
        let mut command = place.command();
        command
            .env("AWS_ENDPOINT", &self.url)
            .env("AWS_ACCESS_KEY_ID", "id")
            .env("AWS_SECRET_ACCESS_KEY", "aws-secret")
            .env("AWS_REGION", "eu-west-1")
            .env("GOOGLE_SERVICE_ACCOUNT", place.path("account.json"))
            .env("AZURE_STORAGE_ACCOUNT_NAME", "account")
            .env("AZURE_STORAGE_ENDPOINT", &self.url)
            .env("AZURE_SKIP_SIGNATURE", "true");
        for variable in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
            command.env_remove(variable);
        }
        said(command.args(line.split_whitespace()))
    }
}

fn read(stream: &TcpStream) -> Option<Asked> {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let line = lines.next()?;
    let headers: Vec<_> = lines
        .take_while(|line| !line.is_empty())
        .map(|line| line.to_lowercase())
        .collect();
    let from = headers.iter().find_map(|line| {
        let range = line.strip_prefix("range: bytes=")?;
        range.split('-').next()?.parse().ok()
    });
    Some(Asked {
        line,
        from: from.unwrap_or(0),
        is_signed: headers
            .iter()
            .any(|line| line.starts_with("authorization: aws4-hmac-sha256 credential=id/")),
    })
}

fn as_store(asked: &Asked, objects: &Objects) -> Answer {
    let target = asked.line.split(' ').nth(1).unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let escapes = [("%2F", "/"), ("%2D", "-"), ("%2E", ".")];
    let path = escapes
        .iter()
        .fold(path.to_owned(), |path, (escape, text)| {
            path.replace(escape, text)
        });
    if let Some(key) = path.strip_prefix("/shop/").filter(|key| !key.is_empty()) {
        return match objects.get(key) {
            Some(bytes) if asked.from > 0 => (206, bytes[asked.from..].to_vec(), None),
            Some(bytes) => (200, bytes.clone(), None),
            None => (404, b"<Error><Code>NoSuchKey</Code></Error>".to_vec(), None),
        };
    }
    let value = |key: &str| {
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let mut found = pairs
            .filter(|(name, _)| *name == key)
            .map(|(_, value)| value.replace("%2F", "/"));
        found.next()
    };
    let prefix = value("prefix").unwrap_or_default();
    let names: Vec<_> = objects
        .keys()
        .filter(|name| name.starts_with(&prefix))
        .collect();
    let mut list = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    if value("comp").is_some() {
        list.push_str("<EnumerationResults><Blobs>");
        for name in names {
            let length = objects[name].len();
            _ = write!(
                list,
                "<Blob><Name>{name}</Name><Properties><Last-Modified>Sat, 21 Nov 2026 00:00:00 GMT</Last-Modified><Content-Length>{length}</Content-Length><Content-Type>x</Content-Type><Etag>e</Etag></Properties></Blob>"
            );
        }
        list.push_str("</Blobs><NextMarker/></EnumerationResults>");
        return (200, list.into_bytes(), None);
    }
    // Two names on each page.
    let first: usize = value("continuation-token").map_or(0, |token| token.parse().unwrap());
    list.push_str("<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
    for name in names.iter().skip(first).take(2) {
        let size = objects[*name].len();
        _ = write!(
            list,
            "<Contents><Key>{name}</Key><LastModified>2026-11-21T00:00:00.000Z</LastModified><ETag>\"e\"</ETag><Size>{size}</Size><StorageClass>STANDARD</StorageClass></Contents>"
        );
    }
    if first + 2 < names.len() {
        _ = write!(
            list,
            "<NextContinuationToken>{}</NextContinuationToken>",
            first + 2
        );
    }
    list.push_str("</ListBucketResult>");
    (200, list.into_bytes(), None)
}

fn write(stream: &mut TcpStream, asked: &Asked, (status, bytes, cut): &Answer) {
    let length = bytes.len();
    let mut head =
        format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nConnection: close\r\n");
    if *status == 206 {
        let (from, whole) = (asked.from, asked.from + length);
        _ = write!(
            head,
            "Content-Range: bytes {from}-{}/{whole}\r\n",
            whole - 1
        );
    }
    head.push_str("ETag: \"e\"\r\nLast-Modified: Sat, 21 Nov 2026 00:00:00 GMT\r\n\r\n");
    _ = stream.write_all(head.as_bytes());
    _ = stream.write_all(&bytes[..cut.unwrap_or(length)]);
}

fn lines(cases: &[String]) -> Vec<u8> {
    (cases.join("\n") + "\n").into_bytes()
}

/// Days of runs: a glob over days matches five cases, two of them low. The other objects must not match.
fn days() -> Objects {
    let packed = zstd::encode_all(&*lines(&[good("e")]), 0).unwrap();
    BTreeMap::from([
        ("runs/day-1.jsonl", lines(&[good("a"), low("b")])),
        ("runs/day-2.jsonl", lines(&[good("c")])),
        ("runs/day-3.jsonl", lines(&[low("d")])),
        ("runs/day-4.jsonl.zst", packed),
        ("runs/notes.txt", b"not cases".to_vec()),
        ("runs/old/day-0.jsonl", lines(&[low("z")])),
        (
            "tables/cases.parquet",
            fs::read(root().join("examples/columns/cases.parquet")).unwrap(),
        ),
    ])
}

const SCORE: &str = "-e trajectory --format jsonl --no-details";

/// The ids of the scored cases in order, and the mean score.
fn scored(said: &Said) -> (String, f64) {
    assert_eq!(said.code, 0, "{}", said.stderr);
    let lines = said.stdout.lines();
    let values: Vec<serde_json::Value> = lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let ids = values.iter().map(|value| value["case"].as_str().unwrap());
    let sum: f64 = values
        .iter()
        .map(|value| value["score"].as_f64().unwrap())
        .sum();
    (ids.collect::<Vec<_>>().join(" "), sum / values.len() as f64)
}

#[test]
fn globs_match_the_same_objects_in_all_stores() {
    let store = Store::plain(days());
    let place = Place::new();
    for scheme in ["s3", "gs", "az"] {
        let said = store.run(
            &place,
            &format!("score {scheme}://shop/runs/day-*.jsonl* {SCORE}"),
        );
        assert_eq!(scored(&said), ("a b c d e".to_owned(), 0.6), "{scheme}");
        let said = store.run(
            &place,
            &format!("score {scheme}://shop/runs/day-[13].jsonl {SCORE}"),
        );
        assert_eq!(scored(&said), ("a b d".to_owned(), 1.0 / 3.0), "{scheme}");
        let said = store.run(
            &place,
            &format!("score {scheme}://shop/**/day-?.jsonl {SCORE}"),
        );
        assert_eq!(scored(&said).0, "a b c d z", "{scheme}");
    }
    let asked = store.asked.lock().unwrap();
    // Only objects with the glob's prefix are listed.
    assert!(
        asked
            .iter()
            .any(|asked| asked.line.contains("prefix=runs%2F") && asked.is_signed),
        "{asked:?}"
    );
    assert!(asked.iter().all(|asked| !asked.line.contains("notes.txt")));
}

#[test]
fn tables_and_single_objects_are_read_like_files() {
    let store = Store::plain(days());
    let place = Place::new();
    let said = store.run(
        &place,
        &format!("score s3://shop/tables/cases.parquet {SCORE}"),
    );
    let here = root().join("examples/columns/cases.parquet");
    let local = place.run(&format!("score {} {SCORE}", here.display()), &[]);
    assert_eq!(said.stdout, local.stdout);
    assert_eq!(scored(&said).0, "order-7 order-8");
    assert_eq!(
        store.asked.lock().unwrap().len(),
        1,
        "it came over the line once"
    );
    let seen = store.run(&place, "inspect s3a://shop/runs/day-1.jsonl");
    let first =
        "s3a://shop/runs/day-1.jsonl · canonical cases · 2 trajectories, 2 calls, 2 expected\n";
    assert!(
        seen.stdout.starts_with(first),
        "{}{}",
        seen.stdout,
        seen.stderr
    );
}

#[test]
fn suites_may_name_objects() {
    let suite = "cases: s3://shop/runs/day-*.jsonl\nevaluators: [trajectory]\n";
    let place = Place::new().with("suite.yaml", suite);
    let store = Store::plain(days());
    let said = store.run(&place, "run --no-history --format jsonl");
    assert_eq!(said.code, 0, "{}", said.stderr);
    let scores = said.stdout.matches(r#""evaluator":"trajectory""#);
    assert_eq!(scores.count(), 4, "{}", said.stdout);
    // Runs are joined to cases by id.
    let runs = r#"{"id":"a","actual":[{"name":"find","args":{"id":7}}]}"#;
    let store = Store::plain(BTreeMap::from([("runs.jsonl", lines(&[runs.to_owned()]))]));
    let place = Place::new().with(
        "expected.jsonl",
        r#"{"id":"a","expected":["find"]}"#.to_owned() + "\n",
    );
    let said = store.run(
        &place,
        &format!("score expected.jsonl --traces s3://shop/r*.jsonl {SCORE}"),
    );
    assert_eq!(scored(&said), ("a".to_owned(), 1.0));
}

#[test]
fn interrupted_download_resumes() {
    let cases: Vec<_> = (0..2000)
        .map(|at| {
            if at % 4 == 0 {
                low(&format!("c{at}"))
            } else {
                good(&format!("c{at}"))
            }
        })
        .collect();
    let objects = Objects::from([("many.jsonl", lines(&cases))]);
    let bytes = objects["many.jsonl"].clone();
    let mut cuts = 0;
    let store = Store::new(objects, move |asked, _| {
        cuts += 1;
        (cuts == 1 && asked.from == 0).then(|| (200, bytes.clone(), Some(150_000)))
    });
    let said = store.run(
        &Place::new(),
        &format!("score s3://shop/many.jsonl {SCORE}"),
    );
    let (ids, mean) = scored(&said);
    assert_eq!((ids.split(' ').count(), mean), (2000, 0.75));
    assert!(
        store
            .asked
            .lock()
            .unwrap()
            .iter()
            .any(|asked| asked.from > 0)
    );
}

#[test]
fn errors_name_the_object_and_contain_no_secrets() {
    let place = Place::new();
    let check = |store: &Store, line: &str, wanted: &str| {
        let said = store.run(&place, line);
        assert_eq!(said.code, 2, "{line}\n{}", said.stderr);
        assert!(said.stderr.contains(wanted), "{line}\n{}", said.stderr);
        assert!(
            !said.stderr.contains("aws-secret") && !said.stderr.contains('\u{1b}'),
            "{}",
            said.stderr
        );
    };
    let store = Store::plain(days());
    check(
        &store,
        "score s3://shop/none.jsonl -e trajectory",
        "s3://shop/none.jsonl: no such object, or no such bucket",
    );
    check(
        &store,
        "score s3://shop/none-*.jsonl -e trajectory",
        "s3://shop/none-*.jsonl: no object matches",
    );
    check(
        &store,
        "score s3://shop -e trajectory",
        "s3://shop: names no bucket and no object",
    );
    let denied = Store::new(days(), |_, _| {
        Some((
            403,
            b"<Error><Message>\x1b[31mAccess Denied</Message></Error>".to_vec(),
            None,
        ))
    });
    check(
        &denied,
        "score s3://shop/a.jsonl -e trajectory",
        "s3://shop/a.jsonl: no permission to read it",
    );
    check(&denied, "inspect gs://shop/*.jsonl", "403 Forbidden");
    let suite = Place::new().with(
        "suite.yaml",
        "cases: s3://shop/none-*.jsonl\nevaluators: [trajectory]\n",
    );
    let said = store.run(&suite, "run");
    assert!(
        said.stderr.contains("suite.yaml:1") && said.stderr.contains("no object matches"),
        "{}",
        said.stderr
    );
    let busy = Store::new(days(), |_, before| {
        (before < 2).then(|| (503, b"slow down".to_vec(), None))
    });
    let said = busy.run(&place, &format!("score s3://shop/runs/day-2.jsonl {SCORE}"));
    assert_eq!(scored(&said), ("c".to_owned(), 1.0));
}
