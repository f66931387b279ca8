//! Cases for which engine and reference once differed. The golden cases have the cases of presets that are not reimplemented.

use rightcall_reference::Reference;
use rightcall_reference::differential::Case;

/// They used to be skipped, like actual ones.
#[test]
fn tpmjs_treats_falsy_expected_items_as_calls_without_fields() {
    for item in ["0", "false", r#""""#] {
        let (expected, actual) = (format!("[{item}]"), r#"[{"args":{}}]"#.to_owned());
        let case = Case {
            evaluator: "tpmjs/tool-call-accuracy-score",
            config: "{}".to_owned(),
            expected,
            actual,
        };
        assert_eq!(case.check(), Ok(Reference::Raised));
        assert_eq!(case.reference(), Reference::Raised);
    }
}
