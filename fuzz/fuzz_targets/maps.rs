//! Reads any text as a map, and any log with a map: nothing may panic, and each result must be a valid case.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rightcall_formats::{Format, Input, Limits, ReadOptions, read_case};

/// Maps that together use every key.
const MAPS: [&str; 4] = [
    "run: s\norder: t\ncall: {when: {k: c*}, at: p.*, where: {v: {not: [0, none]}}, name: n | $key, args: a, id: i, output: o, failed: {x: any}, start: t, not_run: {d: true}}\nresult: {when: {k: r}, id: i, name: n, output: o, error: e, end: t}\nstep: {b: any}\nskip: [{l: debug}, q.*]\nfinished: {k: end}",
    "records: r.x\nid: ^$key\nquestion: q\nexpected: want\ntrial: t\ntags: g\nmeta: {m: '^^m'}\ncall: [{at: p.q, name: n, rest: {without: [z]}, optional: true}, {at: '[0]', name: $item, optional: true}]\nresult: {at: o, output: $item}\nstep: p",
    "run: {k: begin}\nmessages: m\nmodel: o.\"x y\"\ncall: {name: n, rest: true, by_provider: {^k: p}, optional: true}\nstep: turn",
    "run: $file\ncall: {at: a.b.c | d, name: ^^n, args: $item, optional: true}",
];

fuzz_target!(|data: (u8, &str)| {
    let (which, text) = data;
    _ = Format::check_map("map.yaml", text);
    let map = MAPS[usize::from(which) % MAPS.len()];
    let format = Format::from_map("map.yaml", map).expect("it is a map");
    let options = ReadOptions {
        format: Some(format),
        ..ReadOptions::default()
    };
    let name = ["log.jsonl", "log.json", "log.csv"][usize::from(which) / 4 % 3];
    let bytes = text.as_bytes().to_vec();
    let Ok(mut input) = Input::from_bytes(name, bytes, Limits::default(), &options) else {
        return;
    };
    while let Ok(Some(block)) = input.next_block(1 << 20) {
        for record in block.records() {
            // The expectation and the tags come from the log unchecked and may be invalid.
            let Ok(content) = record.content else { continue };
            let Ok(case) = content.case(&options) else { continue };
            let calls = case.actual.iter().flat_map(|run| &run.calls);
            assert!(calls.clone().all(|call| !call.name.is_empty()));
            let text = content.text().expect("it is a case");
            let again = read_case(&text, &options.of_any_format()).expect("it is a case");
            let calls_again = again.actual.iter().flat_map(|run| &run.calls);
            assert_eq!(calls_again.count(), calls.count());
        }
    }
});
