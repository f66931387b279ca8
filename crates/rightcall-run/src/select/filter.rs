//! Selects cases by tag, by agent, by meta value.

use std::fmt;

use rightcall_core::call::Case;
use rightcall_core::value::{Syntax, Value, ValueEquality, decode_with};

use crate::case_key::{json_in_meta, plain};

/// A filter for cases; an empty one accepts all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Accept cases with any of these tags.
    pub tags: Vec<String>,
    /// Accept cases of any of these agents: their meta value `agent`, or the actor of a call.
    pub agents: Vec<String>,
    /// Accept cases with one of the values under each of the keys.
    pub meta: Vec<(String, Vec<String>)>,
}

impl Filter {
    /// True if all cases are accepted.
    pub fn is_everything(&self) -> bool {
        *self == Self::default()
    }

    /// Adds a value to accept under a meta key.
    pub fn or_meta(&mut self, key: &str, value: &str) {
        match self.meta.iter_mut().find(|(known, _)| known == key) {
            Some((_, values)) => values.push(value.to_owned()),
            None => self.meta.push((key.to_owned(), vec![value.to_owned()])),
        }
    }

    /// True if the case is accepted.
    pub fn admits(&self, case: &Case<'_>) -> bool {
        let calls = || case.actual.iter().flat_map(|actual| &actual.calls);
        let is_actor = |wanted: &str| {
            calls().any(|call| {
                call.metadata()
                    .actor
                    .as_ref()
                    .is_some_and(|it| *it == *wanted)
            })
        };
        let has_tag = |wanted: &str| case.tags.iter().any(|tag| *tag == *wanted);
        self.takes(has_tag, is_actor, |key| meta_json(case, key))
    }

    /// True if a scored case is accepted, by its tags and its meta values (JSON text). Actors of
    /// calls are not compared.
    pub fn admits_judged(&self, tags: &[String], meta: Option<&str>) -> bool {
        let has_tag = |wanted: &str| tags.iter().any(|tag| tag == wanted);
        self.takes(has_tag, |_| false, |key| json_in_meta(meta?, key))
    }

    fn takes<'a>(
        &self,
        has_tag: impl Fn(&str) -> bool,
        is_actor: impl Fn(&str) -> bool,
        json: impl Fn(&str) -> Option<&'a str>,
    ) -> bool {
        let is_one_of = |key: &str, values: &[String]| {
            let found = json(key);
            found.is_some_and(|json| values.iter().any(|wanted| is_written(json, wanted)))
        };
        (self.tags.is_empty() || self.tags.iter().any(|tag| has_tag(tag)))
            && (self.agents.is_empty()
                || is_one_of("agent", &self.agents)
                || self.agents.iter().any(|agent| is_actor(agent)))
            && self.meta.iter().all(|(key, values)| is_one_of(key, values))
    }
}

/// True if a JSON value is the wanted one: the content of a string, the JSON text of any other value, or an equal number.
fn is_written(json: &str, wanted: &str) -> bool {
    let is_equal = |(found, wanted)| ValueEquality::Json.equal(&found, &wanted);
    plain(json) == wanted || number(json).zip(number(wanted)).is_some_and(is_equal)
}

fn number(json: &str) -> Option<Value<'_>> {
    let value = decode_with(json, Syntax::PYTHON).ok();
    value.filter(|it| matches!(it, Value::Integer(_) | Value::Float(_)))
}

/// A meta value: the content of a JSON string, any other value as JSON text.
pub(crate) fn meta_value(case: &Case<'_>, key: &str) -> Option<String> {
    meta_json(case, key).map(plain)
}

fn meta_json<'a>(case: &Case<'a>, key: &str) -> Option<&'a str> {
    let (_, json) = case.meta.iter().find(|(known, _)| *known == *key)?;
    Some(json)
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.tags.iter().map(String::as_str).map(ToOwned::to_owned);
        let parts = parts.chain(self.agents.iter().map(|agent| format!("agent={agent}")));
        let parts: Vec<_> = parts
            .chain(
                self.meta
                    .iter()
                    .map(|(key, values)| format!("{key}={}", values.join("|"))),
            )
            .collect();
        f.write_str(&parts.join(", "))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use rightcall_core::call::{Call, CallMetadata, Trajectory};

    pub(in crate::select) fn case() -> Case<'static> {
        let metadata = CallMetadata {
            actor: Some("helper".into()),
            ..CallMetadata::default()
        };
        let call = Call {
            metadata: Some(Box::new(metadata)),
            ..Call::default()
        };
        Case {
            tags: vec!["refund".into(), "slow".into()],
            meta: vec![
                ("model".into(), "\"gpt-4o\""),
                ("tries".into(), "3"),
                ("none".into(), "null"),
                ("version".into(), "\"1.0\""),
            ],
            actual: Some(Trajectory {
                calls: vec![call],
                spans: Vec::new(),
            }),
            ..Case::default()
        }
    }

    fn filter(tags: &[&str], agents: &[&str], meta: &[(&str, &str)]) -> Filter {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let mut filter = Filter {
            tags: owned(tags),
            agents: owned(agents),
            meta: Vec::new(),
        };
        meta.iter()
            .for_each(|(key, value)| filter.or_meta(key, value));
        filter
    }

    #[test]
    fn filter_accepts_any_value_of_each_kind() {
        for (filter, admits) in [
            (filter(&[], &[], &[]), true),
            (filter(&["refund"], &[], &[]), true),
            (filter(&["other", "slow"], &[], &[]), true),
            (filter(&["other"], &[], &[]), false),
            (filter(&[], &["helper"], &[]), true),
            (filter(&[], &["support"], &[]), false),
            (
                filter(&[], &[], &[("model", "gpt-4o"), ("tries", "3")]),
                true,
            ),
            (filter(&[], &[], &[("tries", "3.0")]), true),
            (filter(&[], &[], &[("version", "1")]), false),
            (
                filter(&[], &[], &[("model", "o1"), ("model", "gpt-4o")]),
                true,
            ),
            (
                filter(&[], &[], &[("model", "gpt-4o"), ("tries", "4")]),
                false,
            ),
            (filter(&[], &[], &[("modell", "gpt-4o")]), false),
            (filter(&["refund"], &["helper"], &[("model", "o1")]), false),
        ] {
            assert_eq!(filter.admits(&case()), admits, "{filter}");
        }
        assert_eq!(
            filter(&["a"], &["b"], &[("c", "d"), ("c", "e")]).to_string(),
            "a, agent=b, c=d|e"
        );
    }
}
