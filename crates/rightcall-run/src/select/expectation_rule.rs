//! Expectations for trajectories that have none.

use rightcall_core::call::Case;
use rightcall_formats::{CaseError, ReadOptions, read_case};

use super::Filter;

/// An expectation, and a filter for the trajectories that it applies to.
#[derive(Clone, Debug)]
pub struct ExpectationRule {
    when: Filter,
    /// A case with nothing but the expectation, as JSON text.
    case: String,
}

impl ExpectationRule {
    /// Parses an expectation: the JSON text of `expected` in a case.
    ///
    /// # Errors
    /// An invalid expectation.
    pub fn new(when: Filter, expectation: &str) -> Result<Self, CaseError> {
        let case = format!("{{\"expected\":{expectation}}}");
        read_case(&case, &ReadOptions::default())?;
        Ok(Self { when, case })
    }

    /// The case with its own expectation, or else with the expectation of the first rule that applies.
    pub(crate) fn complete<'a>(
        rules: &'a [Self],
        mut case: Case<'a>,
        options: &ReadOptions,
    ) -> Case<'a> {
        if case.expected.is_empty()
            && let Some(rule) = rules.iter().find(|rule| rule.when.admits(&case))
            && let Ok(expected) = read_case(&rule.case, &options.of_any_format())
        {
            case.expected = expected.expected;
        }
        case
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_matching_expectation_completes_a_case() {
        let refunds = Filter {
            tags: vec!["refund".into()],
            ..Filter::default()
        };
        let rules = [
            ExpectationRule::new(refunds, "[\"refund\"]").unwrap(),
            ExpectationRule::new(Filter::default(), "[\"find\"]").unwrap(),
        ];
        let first = |text: &str| {
            let case = ExpectationRule::complete(
                &rules,
                read_case(text, &ReadOptions::default()).unwrap(),
                &ReadOptions::default(),
            );
            case.expected.calls.unwrap()[0].name.to_string()
        };
        assert_eq!(first(r#"{"tags":["refund"],"actual":[]}"#), "refund");
        assert_eq!(first(r#"{"tags":["other"],"actual":[]}"#), "find");
        assert_eq!(
            first(r#"{"tags":["refund"],"expected":["own"],"actual":[]}"#),
            "own"
        );
        assert!(ExpectationRule::new(Filter::default(), "[7]").is_err());
    }
}
