//! What a case demands.

use std::sync::Arc;

use crate::expectation::{ExpectationError, ProcessTree, Resolution};
use crate::value::{Integer, Text};

use super::Call;

/// What a case demands of a run; what it does not state is derived where the meaning is plain.
#[derive(Clone, Debug, Default)]
pub struct Expectation<'a> {
    /// The calls, in order.
    pub calls: Option<Vec<Call<'a>>>,
    /// Names, in order.
    pub order: Option<Vec<Text<'a>>>,
    /// How often each tool is called.
    pub counts: Option<Vec<Count<'a>>>,
    /// What tools return.
    pub outputs: Option<Vec<ExpectedOutput<'a>>>,
    /// Conditions on the run as the evaluator `constraints` takes them, an object as JSON text.
    pub constraints: Option<&'a str>,
    /// Several right ways: calls in blocks, or with matchers. The place of `calls`, which are those of the accepted run nearest to what
    /// was done once the case is [resolved](super::Case::resolved).
    pub tree: Option<Arc<ProcessTree>>,
    /// What the tree was resolved to, or why it could not be; `None` before that.
    pub resolution: Option<&'a Result<Resolution, ExpectationError>>,
}

impl<'a> Expectation<'a> {
    /// An expectation of these calls alone.
    pub fn from_calls(calls: Vec<Call<'a>>) -> Self {
        Self {
            calls: Some(calls),
            ..Self::default()
        }
    }

    /// True if nothing at all is stated.
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

/// How often a tool is to be called.
#[derive(Clone, Debug, PartialEq)]
pub struct Count<'a> {
    /// The tool.
    pub name: Text<'a>,
    /// The relation of the number found to `count`.
    pub operator: Operator<'a>,
    /// The number on the right of the operator.
    pub count: Integer,
}

/// A relation between the number of calls found and the number wanted, as it was written.
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
    /// The operator that a text stands for: `=` `==` `!=` `>` `>=` `<` `<=`; any other is unknown.
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

    /// The operator as it was written.
    pub fn text(&self) -> &Text<'a> {
        &self.text
    }

    /// False for a text that is no operator.
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

/// What a call of a tool is to return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedOutput<'a> {
    /// The tool.
    pub name: Text<'a>,
    /// Id of the tool.
    pub tool_id: Option<Text<'a>>,
    /// The text returned.
    pub output: Text<'a>,
}
