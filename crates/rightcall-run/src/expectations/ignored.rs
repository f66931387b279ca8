//! Arguments that differ in every run.

use rightcall_core::call::Case;
use rightcall_core::value::{Value, decode};

use crate::path_pattern::{PathStep, Replacing, steps};

/// The meta key with the recording options of a case.
pub(super) const RECORDED: &str = "recorded";

/// Arguments that expectations ignore because they differ in every run, such as ids and times.
///
/// `/created_at` is a JSON pointer into the arguments of every tool, `refund:/created_at` into the arguments of one tool. The step `*`
/// matches any key or index, `**` any number of steps.
#[derive(Clone, Debug)]
pub struct IgnoredArguments {
    pub(super) pattern: String,
    tool: Option<String>,
    steps: Vec<PathStep>,
}

impl IgnoredArguments {
    /// Parses a pattern.
    ///
    /// # Errors
    /// An invalid pattern; the message shows the syntax.
    pub fn parse(pattern: &str) -> Result<Self, String> {
        let wrong = || {
            "write a JSON pointer such as /created_at, /items/*/id or /**/id, behind `TOOL:` for one tool alone".to_owned()
        };
        let (tool, pointer) = match pattern.find(":/") {
            Some(at) if !pattern.starts_with('/') => (
                Some(pattern[..at].to_owned()).filter(|tool| !tool.is_empty()),
                &pattern[at + 1..],
            ),
            _ => (None, pattern),
        };
        let pointer = pointer
            .strip_prefix('/')
            .filter(|steps| !steps.is_empty())
            .ok_or_else(wrong)?;
        let steps = steps(pointer, |step| {
            let is_any = step == "*";
            let pattern = if is_any {
                step.to_owned()
            } else {
                glob::Pattern::escape(step)
            };
            glob::Pattern::new(&pattern).map_err(|_| wrong())
        })?;
        if steps.last() == Some(&PathStep::Any) {
            return Err(wrong());
        }
        Ok(Self {
            pattern: pattern.to_owned(),
            tool,
            steps,
        })
    }

    /// The arguments of a call without those that the patterns match; `None` if no pattern applies to the tool.
    pub(super) fn without_ignored<'v>(
        ignored: &[Self],
        tool: &str,
        arguments: &Value<'v>,
    ) -> Option<Value<'v>> {
        let patterns: Vec<_> = ignored
            .iter()
            .filter(|it| it.tool.as_deref().is_none_or(|of| of == tool))
            .map(|it| &it.steps[..])
            .collect();
        let mut replacing = Replacing {
            replace: &mut |_| None,
            looks_into_texts: false,
        };
        (!patterns.is_empty()).then(|| replacing.value(arguments.clone(), &patterns))
    }

    /// The patterns of the case's recording.
    pub(super) fn from_case(case: &Case<'_>) -> Vec<Self> {
        let recorded = case.meta.iter().find(|(key, _)| *key == *RECORDED);
        let Some(Ok(value)) = recorded.map(|(_, json)| decode(json)) else {
            return Vec::new();
        };
        let patterns = value
            .as_object()
            .and_then(|it| it.get_str("ignore")?.as_list())
            .unwrap_or_default();
        patterns
            .iter()
            .filter_map(|it| Self::parse(&it.as_text()?.to_display()).ok())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_pattern_has_an_example() {
        for text in ["", "at", "/", "find:at", "/a/**", "find:/"] {
            assert!(
                IgnoredArguments::parse(text)
                    .unwrap_err()
                    .contains("/created_at"),
                "{text}"
            );
        }
        assert_eq!(
            IgnoredArguments::parse("a:b:/x").unwrap().tool.as_deref(),
            Some("a:b")
        );
    }
}
