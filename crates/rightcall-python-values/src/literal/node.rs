//! The expression tree, as far as literals need it.

use num_bigint::BigInt;

use super::Literal;
use super::lexer::complex;
use crate::integer::Integer;
use crate::value::{PythonValue, Value};

/// An expression, as far as literals need it.
#[derive(Debug)]
pub(super) enum Node {
    /// A constant without sign.
    Constant(Literal),
    /// A number with a sign, or the sum of a real and an imaginary number.
    Computed(Literal),
    /// `(…, …)`.
    Tuple(Vec<Node>),
    /// `[…]`.
    List(Vec<Node>),
    /// `{…}`.
    Set(Vec<Node>),
    /// `{…: …}`.
    Dict(Vec<(Node, Node)>),
    /// `set()`.
    EmptySet,
    /// The name `set`.
    SetName,
    /// Another name, an attribute or a subscript: not a literal, but assignable.
    Place,
    /// `*…`.
    Starred(bool),
    /// Any other expression.
    Forbidden,
}

impl Node {
    pub(super) fn is_assignable(&self) -> bool {
        match self {
            Self::SetName | Self::Place => true,
            Self::Starred(assignable) => *assignable,
            Self::Tuple(items) | Self::List(items) => items.iter().all(Self::is_assignable),
            _ => false,
        }
    }

    pub(super) fn signed(self, minus: bool) -> Self {
        let Self::Constant(value) = self else {
            return Self::Forbidden;
        };
        match value {
            Value::Integer(_) | Value::Float(_) if !minus => Self::Computed(value),
            Value::Integer(Integer::Small(small)) => {
                Self::Computed(Value::Integer((-BigInt::from(small)).into()))
            }
            Value::Integer(Integer::Big(big)) => Self::Computed(Value::Integer((-*big).into())),
            Value::Float(float) => Self::Computed(Value::Float(-float)),
            Value::Python(ref python) => match **python {
                PythonValue::Complex { real, imaginary } if minus => {
                    Self::Computed(complex(-real, -imaginary))
                }
                PythonValue::Complex { .. } => Self::Computed(value),
                _ => Self::Forbidden,
            },
            _ => Self::Forbidden,
        }
    }

    /// The sum or difference of a real and an imaginary number.
    pub(super) fn sum(self, other: &Self, minus: bool) -> Self {
        let (Self::Constant(left) | Self::Computed(left), Self::Constant(Value::Python(python))) =
            (self, other)
        else {
            return Self::Forbidden;
        };
        let (Some(real), PythonValue::Complex { imaginary, .. }) = (left.as_f64(), &**python)
        else {
            return Self::Forbidden;
        };
        // Python converts an integer to a float here, which fails if it is too large.
        if matches!(left, Value::Integer(_)) && real.is_infinite() {
            return Self::Forbidden;
        }
        Self::Computed(if minus {
            complex(real - 0.0, 0.0 - imaginary)
        } else {
            complex(real + 0.0, 0.0 + imaginary)
        })
    }
}
