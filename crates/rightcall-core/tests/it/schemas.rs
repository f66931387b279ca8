//! A monitor checks a call by the schema of its tool once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rightcall_core::call::{Arguments, Call};
use rightcall_core::monitor::{Admission, Monitor};
use rightcall_core::{ArgumentViolation, ToolDefinitions, use_tool_definition_reader};

static CHECKS: AtomicUsize = AtomicUsize::new(0);

/// A schema that forbids `bad`, and counts its checks.
#[derive(Debug)]
struct Counted;

impl ToolDefinitions for Counted {
    fn has_schema(&self, _: &str) -> bool {
        true
    }

    fn violations(&self, _: &str, arguments: &str) -> Vec<ArgumentViolation> {
        CHECKS.fetch_add(1, Ordering::Relaxed);
        let violation = ArgumentViolation {
            pointer: "/bad".to_owned(),
            sentence: "arguments.bad is not in the schema".to_owned(),
        };
        let is_bad = arguments.contains("bad");
        is_bad.then_some(violation).into_iter().collect()
    }

    fn changing(&self) -> Option<Vec<String>> {
        None
    }
}

#[test]
fn each_call_is_checked_against_its_schema_once() {
    use_tool_definition_reader(|_| Ok(Arc::new(Counted)));
    let mut monitor = Monitor::new(r#"{"schema": []}"#).unwrap();
    let pay = |arguments| Call {
        name: "pay".into(),
        arguments: Arguments::json(arguments),
        ..Call::default()
    };
    let (good, bad) = (pay(r#"{"to": 1}"#), pay(r#"{"bad": 1}"#));
    let checks = || CHECKS.swap(0, Ordering::Relaxed);
    let blamed = |admission| match admission {
        Admission::Refused(refusals) => refusals[0].calls.clone(),
        Admission::Admitted(_) => Vec::new(),
    };
    assert_eq!(monitor.admit(&good).unwrap(), Admission::Admitted(0));
    assert_eq!(checks(), 1);
    let refused = monitor.admit(&bad).unwrap();
    assert_eq!((blamed(refused), checks()), (vec![1], 1));
    assert_eq!((monitor.observe(&bad).unwrap(), checks()), (1, 1));
    let refused = monitor.admit(&bad).unwrap();
    assert_eq!((blamed(refused), checks()), (vec![1, 2], 1));
}
