//! The time that a call takes in a monitor.

use rightcall_core::call::{Arguments, Call};
use rightcall_core::monitor::{Admission, Monitor, ResultOfCall};

/// `cargo test --profile dist -p rightcall-core --test it cost_of_a_call -- --ignored --nocapture` prints the time of `admit` and `result`.
#[test]
#[ignore = "it measures, and decides nothing"]
fn cost_of_a_call() {
    let rules = r#"{"call":"refund","needs_before":"verify","same":"order"},{"call":"refund","at_most":1,"same":"order"},"no send after read_secret","first find",{"call":{"name":"refund","args":{"amount":{"$not":{"$lte":100}}}},"never":true}"#;
    let sequence = r#"["t0","t1","t2","t3","t4","t5","t6","t7","t8","t9"]"#;
    let five = format!("[{rules}]");
    let names = ["find", "verify", "refund"];
    measure("5 rules", &five, 10_200, |number| {
        (names[number % 3].to_owned(), number / 3)
    });
    let expected = format!(
        r#"{{"expected":{sequence},"rules":[{}]}}"#,
        rules.replace("first find", "first t0")
    );
    measure("5 rules and a sequence of 10", &expected, 10, |number| {
        (format!("t{number}"), 1)
    });
    let any_order = expected.replacen(sequence, &format!(r#"[{{"any_order":{sequence}}}]"#), 1);
    measure("5 rules and any_order of 10", &any_order, 10, |number| {
        (format!("t{number}"), 1)
    });
    let repeat = expected.replacen(sequence, &format!(r#"[{{"repeat":{sequence}}}]"#), 1);
    measure("5 rules and an open repeat", &repeat, 1_000, |number| {
        (format!("t{}", number % 10), 1)
    });
}

#[expect(clippy::print_stdout, reason = "the figures are all that it is for")]
fn measure(what: &str, settings: &str, calls: usize, call: impl Fn(usize) -> (String, usize)) {
    let mut best: Vec<u128> = vec![u128::MAX; calls];
    for _ in 0..5 {
        let mut monitor = Monitor::new(settings).unwrap();
        for (number, best) in best.iter_mut().enumerate() {
            let (name, order) = call(number);
            let request = Call {
                name: name.into(),
                arguments: Arguments::owned_json(format!(r#"{{"order":{order},"amount":5}}"#)),
                ..Call::default()
            };
            let begun = std::time::Instant::now();
            let Admission::Admitted(number) = monitor.admit(&request).unwrap() else {
                panic!("{what}: refused at {number}");
            };
            let result = ResultOfCall {
                output: Some("\"ok\""),
                failed: Some(false),
            };
            monitor.result(number, result).unwrap();
            *best = (*best).min(begun.elapsed().as_nanos());
        }
    }
    let median = |part: &[u128]| {
        let mut sorted = part.to_vec();
        sorted.sort_unstable();
        sorted[sorted.len() / 2] as f64 / 1e3
    };
    let (first, last) = (&best[..calls.min(20)], &best[calls.saturating_sub(20)..]);
    println!(
        "{what}: {:.1} µs at first, {:.1} µs after {calls} calls",
        median(first),
        median(last)
    );
}
