//! The expectation of a case.

use std::sync::Arc;

use crate::expectation::{ExpectationError, ProcessTree, Resolution};
use crate::value::{Integer, Text};

use super::Call;

/// The expectation for a run. Parts that are missing are derived if their meaning is clear.
#[derive(Clone, Debug, Default)]
pub struct Expectation<'a> {
    /// The expected calls, in order.
    pub calls: Option<Vec<Call<'a>>>,
    /// The expected names, in order.
    pub order: Option<Vec<Text<'a>>>,
    /// The expected number of calls of each tool.
    pub counts: Option<Vec<Count<'a>>>,
    /// The expected outputs of tools.
    pub outputs: Option<Vec<ExpectedOutput<'a>>>,
    /// Conditions on the run, as the evaluator `constraints` reads them: a JSON object as text.
    pub constraints: Option<&'a str>,
    /// Several accepted runs: calls in blocks, or with matchers. It replaces `calls`; once the case is [resolved](super::Case::resolved),
    /// `calls` holds the accepted run nearest to the actual one.
    pub tree: Option<Arc<ProcessTree>>,
    /// The tree's resolution, or why it failed; `None` before resolving.
    pub resolution: Option<&'a Result<Resolution, ExpectationError>>,
}

impl<'a> Expectation<'a> {
    /// An expectation with only these calls.
    pub fn from_calls(calls: Vec<Call<'a>>) -> Self {
        Self {
            calls: Some(calls),
            ..Self::default()
        }
    }

    /// True if the expectation is empty.
    pub fn is_empty(&self) -> bool {
        let Self {
            calls,
            order,
            counts,
            outputs,
            constraints,
            tree,
            resolution: _,
        } = self;
        calls.is_none()
            && order.is_none()
            && counts.is_none()
            && outputs.is_none()
            && constraints.is_none()
            && tree.is_none()
    }
}

/// The expected number of calls of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Count<'a> {
    /// The tool.
    pub name: Text<'a>,
    /// The operator between the number of calls found and `count`.
    pub operator: Operator<'a>,
    /// The right-hand side of the operator.
    pub count: Integer,
}

/// A relation between the numbers of calls found and expected, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operator<'a> {
    text: Text<'a>,
    relation: Option<Relation>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

impl<'a> Operator<'a> {
    /// Parses an operator: `=` `==` `!=` `>` `>=` `<` `<=`; any other text is unknown.
    pub fn parse(text: &Text<'a>) -> Self {
        let relation = match text.as_str() {
            Some("=" | "==") => Some(Relation::Equal),
            Some("!=") => Some(Relation::NotEqual),
            Some(">") => Some(Relation::Greater),
            Some(">=") => Some(Relation::GreaterOrEqual),
            Some("<") => Some(Relation::Less),
            Some("<=") => Some(Relation::LessOrEqual),
            _ => None,
        };
        Self {
            text: text.clone(),
            relation,
        }
    }

    /// The operator as written.
    pub fn text(&self) -> &Text<'a> {
        &self.text
    }

    /// False if the text is not an operator.
    pub fn is_known(&self) -> bool {
        self.relation.is_some()
    }

    /// True if `found OPERATOR wanted` holds; `None` for an unknown operator.
    pub fn holds(&self, found: &Integer, wanted: &Integer) -> Option<bool> {
        Some(match self.relation? {
            Relation::Equal => found == wanted,
            Relation::NotEqual => found != wanted,
            Relation::Greater => found > wanted,
            Relation::GreaterOrEqual => found >= wanted,
            Relation::Less => found < wanted,
            Relation::LessOrEqual => found <= wanted,
        })
    }
}

impl std::fmt::Display for Operator<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.text.fmt(f)
    }
}

/// The expected output of a tool's call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedOutput<'a> {
    /// The tool.
    pub name: Text<'a>,
    /// Id of the tool.
    pub tool_id: Option<Text<'a>>,
    /// The returned text.
    pub output: Text<'a>,
}
