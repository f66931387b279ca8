//! Hostile conditions: folders that others can write to, services that repeat keys, go in circles or never end a response, and kills.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use rightcall_fetch::{FetchError, FetchQuestion};
use serde_json::json;

use crate::Place;
use crate::engine::{ask, pages, place};
use crate::server::{Reply, Server};

#[cfg(unix)]
#[test]
fn files_with_other_names_are_not_changed() {
    use std::os::unix::fs::symlink;
    let server = Server::new(|asked, _| pages(asked, &[1]));
    let place = place(&server.url);
    let folder = place.folder.path();
    let (target, missing) = (folder.join("mine"), folder.join("missing"));
    fs::write(&target, "mine").unwrap();
    let link = |to: &Path, name: &str| symlink(to, folder.join(name)).unwrap();
    let hard = |_: &Path, name: &str| {
        fs::hard_link(&target, folder.join(name)).unwrap();
    };
    let is_a_folder = |_: &Path, name: &str| fs::create_dir(folder.join(name)).unwrap();
    for (make, to, name, found) in [
        (
            &link as &dyn Fn(&Path, &str),
            &target,
            "traces.jsonl.part",
            "a link",
        ),
        (&link, &missing, "traces.jsonl.part", "a link"),
        (&hard, &target, "traces.jsonl.part", "a second name"),
        (&is_a_folder, &target, "traces.jsonl.part", "something else"),
        (&link, &target, "traces.jsonl.part.json", "a link"),
    ] {
        make(to, name);
        for anew in [false, true] {
            let fetched = place.fetch_anew("langfuse", &FetchQuestion::default(), anew);
            // With `anew`, the state of an earlier partial file is not read.
            if anew && name.ends_with("json") {
                fetched.unwrap();
                fs::remove_file(place.output()).unwrap();
                continue;
            }
            let error = fetched.unwrap_err().to_string();
            assert!(error.contains(found) && error.contains(name), "{error}");
            assert_eq!(fs::read_to_string(&target).unwrap(), "mine");
            assert!(!missing.exists());
        }
        let made = folder.join(name);
        if made.is_dir() {
            fs::remove_dir(made).unwrap();
        } else {
            _ = fs::remove_file(made);
        }
    }
    // Left over from a killed fetch, or a link.
    for make in [&link as &dyn Fn(&Path, &str), &hard] {
        make(&target, "traces.jsonl.part.json.new");
        assert_eq!(ask(&place).unwrap().traces, 1);
        fs::remove_file(place.output()).unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "mine");
    }
    assert_eq!(place.files(), ["mine"]);
}

#[test]
fn secrets_are_hidden_in_all_encodings() {
    use base64::Engine as _;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
    let key = "sk-se/cret+\"1\"";
    let both = format!("pk-public:{key}");
    let json = json!(key).to_string();
    let forms = [
        key.to_owned(),
        json[1..json.len() - 1].to_owned(),
        form_urlencoded::byte_serialize(key.as_bytes()).collect(),
        STANDARD.encode(&both),
        STANDARD.encode(key),
        URL_SAFE_NO_PAD.encode(format!("Authorization: {both}")),
    ];
    for form in forms {
        let said = form.clone();
        let server = Server::new(
            move |asked, before| match (asked.query("page"), before % 5) {
                (None, _) => Reply::of(404, said.clone()),
                (_, 0) => Reply::of(401, json!({"message": format!("no {said}")}).to_string()),
                (_, 1) => Reply::of(400, format!("<p>no {said}</p>")),
                (_, 2) => Reply::of(302, "").with("Location", format!("ftp://h/{said}")),
                (_, 3) => Reply::of(302, "").with("Location", format!("/{said}/x?page=1")),
                _ => Reply::json(&json!({"data": [], "meta": {"totalPages": said}})),
            },
        );
        let place = Place::new(&[
            ("LANGFUSE_BASE_URL", &server.url),
            ("LANGFUSE_PUBLIC_KEY", "pk-public"),
            ("LANGFUSE_SECRET_KEY", key),
        ]);
        for _ in 0..5 {
            let text = ask(&place).unwrap_err().to_string();
            let shows = [form.as_str(), "cret", "c2stc2"].map(|it| text.contains(it));
            assert_eq!(shows, [false; 3], "{text}");
        }
    }
}

#[test]
fn circular_pages_are_an_error() {
    // Langfuse reports a page count, but keeps sending the first page.
    let server = Server::new(|asked, _| {
        let data = json!([{"id": "t1"}, {"id": "t2"}]);
        match asked.path.strip_prefix("/api/public/traces/") {
            Some(id) => Reply::json(&json!({"id": id, "observations": []})),
            None => Reply::json(&json!({"data": data, "meta": {"totalPages": 1_000_000_000}})),
        }
    });
    let place_of = place(&server.url);
    let error = ask(&place_of).unwrap_err();
    assert!(matches!(error, FetchError::Circle { .. }), "{error}");
    assert!(error.to_string().contains("page after page"), "{error}");
    // A second fetch fails the same way and keeps the fetched traces.
    assert!(ask(&place_of).is_err());
    let part = fs::read_to_string(place_of.folder.path().join("traces.jsonl.part")).unwrap();
    assert_eq!(part.lines().count(), 2);

    // A cursor that points to itself, one that points back, and pages without traces.
    for (cursors, wanted) in [
        (&["a"][..], "cursor"),
        (&["a", "b"], "cursor"),
        (&["a", "b", "c", "a"], "cursor"),
        (&[], "page after page"),
    ] {
        let mut number = 0;
        let server = Server::new(move |_, _| {
            number += 1;
            let cursor = match cursors {
                [] => format!("c{number}"),
                _ => cursors[(number - 1) % cursors.len()].to_owned(),
            };
            Reply::json(&json!({"data": [], "next_cursor": cursor}))
        });
        let place = Place::new(&[("PHOENIX_HOST", &server.url)]);
        let error = place
            .fetch("phoenix", &FetchQuestion::default())
            .unwrap_err();
        assert!(matches!(error, FetchError::Circle { .. }), "{error}");
        assert!(error.to_string().contains(wanted), "{error}");
        assert!(server.asked().len() < 30);
    }
}

#[test]
fn repeated_spans_of_a_trace_are_an_error() {
    for is_new in [false, true] {
        let mut number = 0;
        let server = Server::new(move |asked, _| {
            let context = json!({"trace_id": "t1", "span_id": "s1"});
            let span = json!({"name": "x", "context": context, "parent_id": null});
            number += 1;
            let cursor = if is_new {
                format!("c{number}")
            } else {
                "c".to_owned()
            };
            let next = asked.query("trace_id").map(|_| cursor);
            Reply::json(&json!({"data": [span], "next_cursor": next}))
        });
        let place = Place::new(&[("PHOENIX_HOST", &server.url)]);
        let error = place
            .fetch("phoenix", &FetchQuestion::default())
            .unwrap_err();
        assert!(matches!(error, FetchError::Circle { .. }), "{error}");
        assert!(place.files().is_empty());
    }
}

#[test]
fn endless_response_is_an_error() {
    let server = Server::new(|_, _| Reply::endless("{\"data\": ["));
    let place = place(&server.url);
    let error = ask(&place).unwrap_err();
    assert!(matches!(error, FetchError::TooLong { .. }), "{error}");
    assert!(
        error.to_string().contains("at most 256 MiB in an answer"),
        "{error}"
    );
    assert!(error.help().unwrap().contains("--limit"));
    assert!(place.files().is_empty() && place.waits().is_empty());
}

#[test]
fn nothing_is_written_before_the_first_page() {
    for (anew, part) in [(false, ""), (false, "{}\n"), (true, "{}\n")] {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (folder, found) = (Arc::new(OnceLock::new()), seen.clone());
        let looked = folder.clone();
        let server = Server::new(move |asked, before| {
            let path: &PathBuf = looked.get().unwrap();
            let names = fs::read_dir(path)
                .unwrap()
                .map(|it| it.unwrap().file_name());
            found.lock().unwrap().push(names.collect::<Vec<_>>());
            match before {
                2 => Reply::of(400, "stop"),
                _ => pages(asked, &[1, 1]),
            }
        });
        let place = place(&server.url);
        folder.set(place.folder.path().to_owned()).unwrap();
        // Left over from a fetch killed before its first state was written.
        if !part.is_empty() {
            fs::write(place.folder.path().join("traces.jsonl.part"), part).unwrap();
        }
        place
            .fetch_anew("langfuse", &FetchQuestion::default(), anew)
            .unwrap_err();
        let seen = seen.lock().unwrap().clone();
        assert_eq!(seen[0].len(), usize::from(!part.is_empty()), "{seen:?}");
        assert_eq!(seen[2].len(), 2, "{seen:?}");
        assert_eq!(ask(&place).unwrap().traces, 2);
        assert_eq!(place.lines().len(), 2);
    }
}
