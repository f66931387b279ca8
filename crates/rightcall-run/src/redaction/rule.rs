//! Parses the patterns of `redact`.

use std::fmt;

use crate::path_pattern::{PathStep, steps};

/// One pattern.
#[derive(Clone, Debug)]
pub(super) struct RedactionRule {
    /// As the user wrote it.
    pub(super) text: String,
    scope: RuleScope,
    pub(super) steps: Vec<PathStep>,
}

/// Where a pattern applies.
#[derive(Clone, Debug)]
enum RuleScope {
    /// In arguments, in outputs, and in the other parts of the case.
    Everywhere,
    /// In arguments and outputs of matching tools; `None` for all tools.
    Calls(Option<glob::Pattern>),
    /// In the other parts of the case: question, answer, description, tags, meta.
    Case,
}

/// Parts of a case other than its calls.
const CASE_FIELDS: [&str; 5] = ["input", "output", "description", "tags", "meta"];

/// An invalid pattern.
#[derive(Debug, PartialEq, Eq)]
pub struct BadPattern(String);

impl fmt::Display for BadPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "expected a name such as `password`, a pointer into arguments such as `/card/number`, `/**/*_token` or `create_user:/ssn`, or \
             one into the case such as `$/input` or `$/meta/email`, found `{}`",
            self.0
        )
    }
}

impl RedactionRule {
    pub(super) fn parse(text: &str) -> Result<Self, BadPattern> {
        let bad = || BadPattern(text.to_owned());
        let glob = |part: &str| glob::Pattern::new(part).map_err(|_| bad());
        let (scope, pointer) = match (text.strip_prefix("$/"), text.split_once(':')) {
            (Some(_), _) => (RuleScope::Case, &text[1..]),
            (None, Some((tool, pointer))) if !tool.contains('/') => {
                (RuleScope::Calls(Some(glob(tool)?)), pointer)
            }
            _ if text.starts_with('/') => (RuleScope::Calls(None), text),
            _ => (RuleScope::Everywhere, text),
        };
        let (first, pointer) = pointer
            .strip_prefix('/')
            .map_or((Some(PathStep::Any), pointer), |pointer| (None, pointer));
        if pointer.is_empty() || (first.is_some() && pointer.contains('/')) {
            return Err(bad());
        }
        let field = pointer.split('/').next().unwrap_or_default();
        let is_field = CASE_FIELDS.contains(&field) || field.contains(['*', '?', '[']);
        if matches!(scope, RuleScope::Case) && !is_field {
            return Err(bad());
        }
        let steps = steps(pointer, glob)?;
        Ok(Self {
            text: text.to_owned(),
            scope,
            steps: first.into_iter().chain(steps).collect(),
        })
    }

    pub(super) fn applies_to_tool(&self, tool: &str) -> bool {
        match &self.scope {
            RuleScope::Everywhere | RuleScope::Calls(None) => true,
            RuleScope::Calls(Some(pattern)) => pattern.matches(tool),
            RuleScope::Case => false,
        }
    }

    pub(super) fn applies_outside_calls(&self) -> bool {
        matches!(self.scope, RuleScope::Everywhere | RuleScope::Case)
    }
}
