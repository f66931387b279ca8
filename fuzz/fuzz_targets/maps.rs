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
    while let Ok(Some(traces)) = input.next_traces() {
        for trace in traces.into_iter().filter_map(|(_, trace)| trace.ok()) {
            assert!(trace.calls.iter().all(|call| !call.name.is_empty()));
            // The expectation, tags and trial come from the log unchecked and may be invalid.
            if trace.expected.is_none() && trace.tags.is_none() && trace.trial.is_none() {
                let case = trace.to_case();
                read_case(&case, &options.of_any_format()).expect("it is a case");
            }
        }
    }
});
