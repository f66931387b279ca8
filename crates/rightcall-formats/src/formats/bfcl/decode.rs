//! What expressions in calls are worth, as the leaderboard's own decoder has it.
//!
//! Source: `resolve_ast_by_type` of the leaderboard. A name is its text, arithmetic is calculated, and a call is its text, or an
//! object where it has keywords.

use rightcall::call::{ArgumentText, argument_text};
use rightcall::value::{Text, Value, python_repr};

use super::python::{Argument, Expression, OPERATORS, POWER};
use crate::json::{quoted as json_text, written};

/// The longest text that arithmetic may make.
const MAX_TEXT: usize = 1 << 16;

/// The precedence of an operand that needs brackets around anything but an atom.
const ATOM: usize = 4;

/// The value of the source of a literal.
fn literal(source: &str) -> Option<Value<'static>> {
    let (value, kind) = argument_text(&Text::from(format!("{{'0': {source}}}")));
    match value {
        Value::Object(object) if kind == ArgumentText::Python || kind == ArgumentText::Json => {
            object
                .iter()
                .next()
                .map(|(_, value)| value.clone().into_owned())
        }
        _ => None,
    }
}

fn json_of(value: &Value<'_>) -> String {
    written(|writer| _ = writer.value(value))
}

impl Expression<'_> {
    /// True for what Python's `literal_eval` would take: no name, no arithmetic, no call.
    pub(super) fn is_literal(&self) -> bool {
        match self {
            Self::Literal(_) => true,
            Self::Name(name) => matches!(*name, "True" | "False" | "None"),
            Self::List(items) | Self::Tuple(items) => items.iter().all(Self::is_literal),
            Self::Dict(members) => members
                .iter()
                .all(|(key, value)| key.is_literal() && value.is_literal()),
            Self::Unary(_, operand) => matches!(**operand, Self::Literal(_)),
            _ => false,
        }
    }

    /// The name of what is called, with its dots.
    pub(super) fn dotted(&self) -> Option<String> {
        match self {
            Self::Name(name) => Some((*name).to_owned()),
            Self::Attribute(of, name) => Some(format!("{}.{name}", of.dotted()?)),
            _ => None,
        }
    }

    /// The value as JSON text; `None` where the decoder raises.
    pub(super) fn json(&self) -> Option<String> {
        let list = |items: &[Self]| {
            let items = items.iter().map(Self::json).collect::<Option<Vec<_>>>()?;
            Some(format!("[{}]", items.join(",")))
        };
        match self {
            Self::Literal(source) => literal(source).map(|value| json_of(&value)),
            Self::Name("True") => Some("true".to_owned()),
            Self::Name("False") => Some("false".to_owned()),
            Self::Name("None") => Some("null".to_owned()),
            Self::Name(name) => Some(json_text(name)),
            Self::Ellipsis => Some("\"...\"".to_owned()),
            Self::List(items) | Self::Tuple(items) => list(items),
            Self::Dict(members) => {
                let member = |(key, value): &(Self, Self)| {
                    let key = key.json()?;
                    let key = if key.starts_with('"') {
                        key
                    } else {
                        json_text(&key)
                    };
                    Some(format!("{key}:{}", value.json()?))
                };
                let members = members.iter().map(member).collect::<Option<Vec<_>>>()?;
                Some(format!("{{{}}}", members.join(",")))
            }
            // The decoder takes the negative of the operand, whatever the sign.
            Self::Unary(_, operand) => match &**operand {
                Self::Literal(source) => {
                    literal(&format!("-{source}")).map(|value| json_of(&value))
                }
                Self::Name("True") => Some("-1".to_owned()),
                Self::Name("False") => Some("0".to_owned()),
                _ => None,
            },
            Self::Binary(..) => self.calculated().map(Calculated::json),
            Self::Call(_, arguments) if arguments.iter().all(|(key, _)| key.is_none()) => {
                Some(json_text(&self.python(0)))
            }
            Self::Call(of, arguments) => {
                let named = arguments
                    .iter()
                    .filter_map(|(key, value)| Some(((*key)?, value)));
                let members = named
                    .map(|(key, value)| Some(format!("{}:{}", json_text(key), value.json()?)))
                    .collect::<Option<Vec<_>>>()?;
                Some(format!(
                    "{{{}:{{{}}}}}",
                    json_text(&of.dotted()?),
                    members.join(",")
                ))
            }
            // The decoder writes what is indexed and the index by themselves, so that a tuple keeps its brackets.
            Self::Subscript(of, index) => {
                Some(json_text(&format!("{}[{}]", of.python(0), index.python(0))))
            }
            Self::Attribute(..) => None,
        }
    }

    /// The result of arithmetic over numbers and texts; `None` where it cannot be told without running Python.
    fn calculated(&self) -> Option<Calculated> {
        match self {
            Self::Literal(source) => Calculated::from_value(&literal(source)?),
            Self::Name("True") => Some(Calculated::Whole(1)),
            Self::Name("False") => Some(Calculated::Whole(0)),
            Self::Unary(sign, operand) => match (sign, operand.calculated()?) {
                ('+', number @ (Calculated::Whole(_) | Calculated::Float(_))) => Some(number),
                ('-', Calculated::Whole(number)) => number.checked_neg().map(Calculated::Whole),
                ('-', Calculated::Float(number)) => Some(Calculated::Float(-number)),
                ('~', Calculated::Whole(number)) => Some(Calculated::Whole(!number)),
                _ => None,
            },
            Self::Binary(left, operator, right) => {
                left.calculated()?.with(operator, right.calculated()?)
            }
            _ => None,
        }
    }

    /// How close the expression holds together, as an operand.
    fn precedence(&self) -> usize {
        match self {
            Self::Binary(_, operator, _) => OPERATORS
                .iter()
                .position(|line| line.contains(operator))
                .unwrap_or(3),
            Self::Unary(..) => 2,
            _ => ATOM,
        }
    }

    /// The text that Python's `ast.unparse` gives, in brackets where it stands as an operand of this precedence.
    fn python(&self, of: usize) -> String {
        let joined = |items: &[Self]| listed(items, |item| item.python(0));
        let text = match self {
            Self::Literal(source) => match literal(source) {
                Some(value) => python_repr(&value).to_string(),
                None => (*source).to_owned(),
            },
            Self::Name(name) => (*name).to_owned(),
            Self::Ellipsis => "...".to_owned(),
            Self::List(items) => format!("[{}]", joined(items)),
            Self::Tuple(items) if items.len() == 1 => format!("({},)", joined(items)),
            Self::Tuple(items) => format!("({})", joined(items)),
            Self::Dict(members) => {
                let member =
                    |(key, value): &(Self, Self)| format!("{}: {}", key.python(0), value.python(0));
                format!("{{{}}}", listed(members, member))
            }
            Self::Unary(sign, operand) => format!("{sign}{}", operand.python(2)),
            Self::Binary(left, operator, right) => {
                let own = self.precedence();
                let (before, after) = if *operator == POWER {
                    (own + 1, own)
                } else {
                    (own, own + 1)
                };
                format!("{} {operator} {}", left.python(before), right.python(after))
            }
            Self::Attribute(of, name) => format!("{}.{name}", of.python(ATOM)),
            Self::Subscript(of, index) => {
                let index = match &**index {
                    Self::Tuple(items) if items.len() == 1 => format!("{},", joined(items)),
                    Self::Tuple(items) if !items.is_empty() => joined(items),
                    index => index.python(0),
                };
                format!("{}[{index}]", of.python(ATOM))
            }
            Self::Call(of, arguments) => {
                let argument = |(key, value): &Argument<'_>| match key {
                    Some(key) => format!("{key}={}", value.python(0)),
                    None => value.python(0),
                };
                format!("{}({})", of.python(ATOM), listed(arguments, argument))
            }
        };
        if self.precedence() < of {
            format!("({text})")
        } else {
            text
        }
    }
}

/// The texts of items with commas between them.
fn listed<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
    let texts: Vec<_> = items.iter().map(text).collect();
    texts.join(", ")
}

/// Quotient and rest of floats as Python has them: the rest has the sign of the divisor, and the quotient is made from it.
fn floored(dividend: f64, divisor: f64) -> (f64, f64) {
    let mut rest = dividend % divisor;
    let mut quotient = (dividend - rest) / divisor;
    if rest != 0.0 && (rest < 0.0) != (divisor < 0.0) {
        rest += divisor;
        quotient -= 1.0;
    }
    let quotient = if quotient == 0.0 {
        0.0_f64.copysign(dividend / divisor)
    } else {
        quotient.round()
    };
    if rest == 0.0 {
        rest = rest.copysign(divisor);
    }
    (quotient, rest)
}

/// What arithmetic came to.
enum Calculated {
    Whole(i128),
    Float(f64),
    Text(String),
}

impl Calculated {
    fn from_value(value: &Value<'_>) -> Option<Self> {
        match value {
            Value::String(text) => Some(Self::Text(text.as_str()?.to_owned())),
            Value::Integer(_) => json_of(value).parse().map(Self::Whole).ok(),
            Value::Float(number) => Some(Self::Float(*number)),
            _ => None,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "as Python divides")]
    fn float(&self) -> Option<f64> {
        match self {
            Self::Whole(number) => Some(*number as f64),
            Self::Float(number) => Some(*number),
            Self::Text(_) => None,
        }
    }

    fn with(self, operator: &str, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Text(left), Self::Text(right)) if operator == "+" => {
                Some(Self::Text(left + &right))
            }
            (Self::Text(text), Self::Whole(times)) | (Self::Whole(times), Self::Text(text))
                if operator == "*" =>
            {
                let times = usize::try_from(times.max(0)).ok()?;
                (text.len().checked_mul(times)? <= MAX_TEXT).then(|| Self::Text(text.repeat(times)))
            }
            (Self::Whole(left), Self::Whole(right))
                if operator != "/" && (operator != POWER || right >= 0) =>
            {
                let floor = || {
                    let quotient = left.checked_div(right)?;
                    let is_below = left % right != 0 && (left < 0) != (right < 0);
                    Some(quotient - i128::from(is_below))
                };
                let result = match operator {
                    "+" => left.checked_add(right),
                    "-" => left.checked_sub(right),
                    "*" => left.checked_mul(right),
                    "//" => floor(),
                    "%" => left.checked_sub(floor()?.checked_mul(right)?),
                    _ => left.checked_pow(u32::try_from(right).ok()?),
                };
                result.map(Self::Whole)
            }
            (left, right) => {
                let (left, right) = (left.float()?, right.float()?);
                let is_division = matches!(operator, "/" | "//" | "%");
                if is_division && right == 0.0 {
                    return None;
                }
                let result = match operator {
                    "+" => left + right,
                    "-" => left - right,
                    "*" => left * right,
                    "/" => left / right,
                    "//" => floored(left, right).0,
                    "%" => floored(left, right).1,
                    _ => left.powf(right),
                };
                result.is_finite().then_some(Self::Float(result))
            }
        }
    }

    fn json(self) -> String {
        match self {
            Self::Whole(number) => number.to_string(),
            Self::Float(number) => written(|writer| _ = writer.python_float(number)),
            Self::Text(text) => json_text(&text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::python::parse;

    #[test]
    fn arguments_are_what_the_decoder_makes_of_them() {
        for (source, json) in [
            ("true", r#""true""#),
            ("x_1", r#""x_1""#),
            ("None", "null"),
            ("...", r#""...""#),
            ("-1.50", "-1.5"),
            ("+5", "-5"),
            ("'a' \"b\"", r#""ab""#),
            (r"r'\d'", r#""\\d""#),
            ("'''it's'''", r#""it's""#),
            ("[1, (2,), {'k': false}]", r#"[1,[2],{"k":"false"}]"#),
            ("{1: 2, 'a': []}", r#"{"1":2,"a":[]}"#),
            ("2*5", "10"),
            ("1 + 2 * -3 ** 2", "-17"),
            ("-7 // 2 + -7 % 3", "-2"),
            ("10 / 4", "2.5"),
            ("-7.5 // 2 + 0.0", "-4.0"),
            ("7 % -2.5", "-0.5"),
            ("2 ** -1", "0.5"),
            ("'ab' * 2 + 'c'", r#""ababc""#),
            ("g()", r#""g()""#),
            ("a.g( 1,x , [2 ,3])", r#""a.g(1, x, [2, 3])""#),
            (
                "g((1 + 2)*3, -x, a[0], (1,), 'it\\'s')",
                r#""g((1 + 2) * 3, -x, a[0], (1,), \"it's\")""#,
            ),
            (
                "g(y=h(1), z=k(w=2))",
                r#"{"g":{"y":"h(1)","z":{"k":{"w":2}}}}"#,
            ),
            ("d['k']", r#""d['k']""#),
            ("d[1, x]", r#""d[(1, x)]""#),
            ("g(d[1, x], d[1,])", r#""g(d[1, x], d[1,])""#),
            ("-True", "-1"),
        ] {
            let found = parse(source).and_then(|expression| expression.json());
            assert_eq!(found.as_deref(), Some(json), "{source}");
        }
    }

    #[test]
    fn what_the_decoder_does_not_take_is_none() {
        for source in [
            "",
            "1 +",
            "x + 1",
            "a.b",
            "1 / 0",
            "{1, 2}",
            "f'{x}'",
            "x if y else z",
            "(1",
            "-x",
            "'a",
            "1 < 2",
        ] {
            assert_eq!(
                parse(source).and_then(|expression| expression.json()),
                None,
                "{source}"
            );
        }
        let deep = format!("{}1{}", "[".repeat(1000), "]".repeat(1000));
        assert!(parse(&deep).is_none() && parse(&"-".repeat(100_000)).is_none());
        for link in ["+1", "*1", "**1", ".a", "()", "[0]", "//(1)"] {
            assert!(
                parse(&format!("a{}", link.repeat(100_000))).is_none(),
                "{link}"
            );
        }
        // As deep as it may be, on the small stack of a test.
        let sum = format!("1{}", "+1".repeat(3));
        let deepest = (0..60).fold("1+1".to_owned(), |inner, _| {
            format!("({inner}){}", "+1".repeat(3))
        });
        assert_eq!(parse(&sum).and_then(|sum| sum.json()).as_deref(), Some("4"));
        assert_eq!(
            parse(&deepest).and_then(|sum| sum.json()).as_deref(),
            Some("182")
        );
    }

    #[test]
    fn literals_are_told_from_what_is_calculated() {
        let is_literal =
            |source: &str| parse(source).is_some_and(|expression| expression.is_literal());
        assert!(
            ["1", "-1", "'x'", "[True, {'a': None}]", "()"]
                .into_iter()
                .all(is_literal)
        );
        assert!(
            !["true", "2*5", "[g()]", "...", "x[0]"]
                .into_iter()
                .any(is_literal)
        );
    }
}
