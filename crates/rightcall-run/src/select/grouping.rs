//! Groups cases by tag or by meta value.

use std::fmt;

use rightcall_core::call::Case;

use super::filter::meta_value;
use crate::case_key::meta_text;

/// The keys to group cases by: `tag`, or meta keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grouping(Vec<String>);

/// The group of cases without a value for a key.
pub(crate) const NO_VALUE: &str = "–";

impl Grouping {
    /// Parses `tag`, a meta key, or a comma-separated list of these.
    pub fn parse(keys: &str) -> Option<Self> {
        let keys: Vec<_> = keys.split(',').map(|key| key.trim().to_owned()).collect();
        keys.iter().all(|key| !key.is_empty()).then_some(Self(keys))
    }

    /// The groups of a case; several only if it has several tags.
    pub(crate) fn of(&self, case: &Case<'_>) -> Vec<String> {
        let tags = || {
            let tags = case.tags.iter();
            tags.map(|tag| tag.to_display().into_owned()).collect()
        };
        self.groups(&tags, &|key| meta_value(case, key))
    }

    /// The groups of a scored case, from its tags and meta values (JSON text); empty if a value is
    /// missing.
    pub(crate) fn of_judged(&self, tags: &[String], meta: Option<&str>) -> Vec<String> {
        let value = |key: &str| meta_text(meta?, key);
        let lacks = |key: &String| match key.as_str() {
            "tag" => tags.is_empty(),
            key => value(key).is_none(),
        };
        if self.0.iter().any(lacks) {
            return Vec::new();
        }
        self.groups(&|| tags.to_vec(), &value)
    }

    /// The id without the path segments that name the case's group.
    pub(crate) fn without_values(&self, id: &str, tags: &[String], meta: Option<&str>) -> String {
        let of_key = |key: &String| Self(vec![key.clone()]).of_judged(tags, meta);
        let values: Vec<_> = self.0.iter().flat_map(of_key).collect();
        let is_value = |part: &&str| values.iter().any(|value| value == part);
        let parts: Vec<_> = id.split('/').filter(|part| !is_value(part)).collect();
        if parts.is_empty() {
            id.to_owned()
        } else {
            parts.join("/")
        }
    }

    /// The keys.
    pub fn keys(&self) -> &[String] {
        &self.0
    }

    fn groups(
        &self,
        tags: &dyn Fn() -> Vec<String>,
        value: &dyn Fn(&str) -> Option<String>,
    ) -> Vec<String> {
        let mut groups = vec![String::new()];
        for key in &self.0 {
            let values: Vec<_> = match key.as_str() {
                "tag" => tags(),
                key => value(key).into_iter().collect(),
            };
            let values = if values.is_empty() {
                vec![NO_VALUE.to_owned()]
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

    /// True if the case has a value to group by.
    pub(crate) fn has_values_for(&self, case: &Case<'_>) -> bool {
        self.0.iter().all(|key| {
            if key == "tag" {
                !case.tags.is_empty()
            } else {
                meta_value(case, key).is_some()
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
    use crate::select::filter::tests::case;

    #[test]
    fn cases_are_grouped_by_tags_and_meta_values() {
        let groups = |keys: &str| Grouping::parse(keys).unwrap().of(&case());
        assert_eq!(groups("model"), ["gpt-4o"]);
        assert_eq!(groups("model, tag"), ["gpt-4o, refund", "gpt-4o, slow"]);
        assert_eq!(groups("tries,domain"), ["3, –"]);
        assert_eq!(Grouping::parse("model,"), None);
        assert!(
            Grouping::parse("model").unwrap().has_values_for(&case())
                && !Grouping::parse("model,domain")
                    .unwrap()
                    .has_values_for(&case())
        );
    }
}
