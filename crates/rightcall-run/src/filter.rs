//! Which cases are meant, and which belong together: by tag, by agent, by meta value.

use std::fmt;

use rightcall::call::Case;
use rightcall::value::{Kind, Reader, Syntax};

/// A choice of cases; an empty one takes all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Cases with any of these tags.
    pub tags: Vec<String>,
    /// Cases of any of these agents: their meta value `agent`, or the actor of a call.
    pub agents: Vec<String>,
    /// Cases with one of the values under each of the keys.
    pub meta: Vec<(String, Vec<String>)>,
}

impl Filter {
    /// True if all cases are meant.
    pub fn is_everything(&self) -> bool {
        *self == Self::default()
    }

    /// Adds a value that a meta key may have.
    pub fn or_meta(&mut self, key: &str, value: &str) {
        match self.meta.iter_mut().find(|(known, _)| known == key) {
            Some((_, values)) => values.push(value.to_owned()),
            None => self.meta.push((key.to_owned(), vec![value.to_owned()])),
        }
    }

    /// Whether the case is meant.
    pub(crate) fn admits(&self, case: &Case<'_>) -> bool {
        let tags = self.tags.is_empty()
            || case
                .tags
                .iter()
                .any(|tag| self.tags.iter().any(|wanted| *tag == **wanted));
        let agents =
            self.agents.is_empty() || self.agents.iter().any(|wanted| is_of_agent(case, wanted));
        tags && agents
            && self
                .meta
                .iter()
                .all(|(key, values)| meta(case, key).is_some_and(|found| values.contains(&found)))
    }
}

fn is_of_agent(case: &Case<'_>, wanted: &str) -> bool {
    let mut calls = case.actual.iter().flat_map(|actual| &actual.calls);
    meta(case, "agent").is_some_and(|found| found == wanted)
        || calls.any(|call| call.actor.as_ref().is_some_and(|actor| *actor == *wanted))
}

/// A meta value: a text as it is, anything else as JSON text.
fn meta(case: &Case<'_>, key: &str) -> Option<String> {
    let (_, raw) = case.meta.iter().find(|(known, _)| *known == *key)?;
    let mut reader = Reader::new(raw, Syntax::PYTHON);
    match reader.peek() {
        Ok(Kind::String) => reader
            .string()
            .ok()
            .map(|text| text.to_display().into_owned()),
        _ => Some((*raw).to_owned()),
    }
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

/// What cases are grouped by: tags, or meta values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grouping(Vec<String>);

/// The group of cases that lack what they are grouped by.
pub(crate) const NONE: &str = "–";

impl Grouping {
    /// Groups by `tag`, by a meta key, or by several of these behind commas.
    pub fn parse(keys: &str) -> Option<Self> {
        let keys: Vec<_> = keys.split(',').map(|key| key.trim().to_owned()).collect();
        keys.iter().all(|key| !key.is_empty()).then_some(Self(keys))
    }

    /// The groups of a case: several only where it has several tags.
    pub(crate) fn of(&self, case: &Case<'_>) -> Vec<String> {
        let mut groups = vec![String::new()];
        for key in &self.0 {
            let values: Vec<_> = match key.as_str() {
                "tag" => case
                    .tags
                    .iter()
                    .map(|tag| tag.to_display().into_owned())
                    .collect(),
                key => meta(case, key).into_iter().collect(),
            };
            let values = if values.is_empty() {
                vec![NONE.to_owned()]
            } else {
                values
            };
            let with = |group: &String, value: &String| {
                if group.is_empty() {
                    value.clone()
                } else {
                    format!("{group}, {value}")
                }
            };
            groups = groups
                .iter()
                .flat_map(|group| values.iter().map(move |value| with(group, value)))
                .collect();
        }
        groups
    }

    /// Whether the case has something to be grouped by.
    pub(crate) fn knows(&self, case: &Case<'_>) -> bool {
        self.0.iter().all(|key| {
            if key == "tag" {
                !case.tags.is_empty()
            } else {
                meta(case, key).is_some()
            }
        })
    }
}

impl fmt::Display for Grouping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rightcall::call::{Call, Circumstances, Trajectory};

    fn case() -> Case<'static> {
        let circumstances = Circumstances {
            actor: Some("helper".into()),
            ..Circumstances::default()
        };
        let call = Call {
            circumstances: Some(Box::new(circumstances)),
            ..Call::default()
        };
        Case {
            tags: vec!["refund".into(), "slow".into()],
            meta: vec![
                ("model".into(), "\"gpt-4o\""),
                ("tries".into(), "3"),
                ("none".into(), "null"),
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
    fn a_filter_takes_any_value_of_each_kind() {
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

    #[test]
    fn cases_are_grouped_by_tags_and_meta_values() {
        let groups = |keys: &str| Grouping::parse(keys).unwrap().of(&case());
        assert_eq!(groups("model"), ["gpt-4o"]);
        assert_eq!(groups("model, tag"), ["gpt-4o, refund", "gpt-4o, slow"]);
        assert_eq!(groups("tries,domain"), ["3, –"]);
        assert_eq!(Grouping::parse("model,"), None);
        assert!(
            Grouping::parse("model").unwrap().knows(&case())
                && !Grouping::parse("model,domain").unwrap().knows(&case())
        );
    }
}
