//! Evaluates the expressions in calls like the leaderboard's decoder.
//!
//! Source: `resolve_ast_by_type` of the leaderboard. A name becomes its text, arithmetic is calculated, and a call becomes its text, or
//! an object if it has keyword arguments.

use rightcall_core::call::{ArgumentText, argument_text};
use rightcall_core::value::{Object, PythonValue, Text, Value, python, python_repr};

use super::python::{Argument, Expression, NOT, Name, OPERATORS, POWER};
use crate::json::{quoted as json_text, written};

/// The precedence of a unary sign, above `not` and the binary operators.
const SIGN: usize = OPERATORS.len() + 1;

/// The precedence of an operand that needs brackets unless it is an atom.
const ATOM: usize = SIGN + 2;

/// The key for `**values`: the decoder uses `None`, which becomes this text in JSON.
const NO_NAME: &str = "null";

/// Evaluates the source of a literal.
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

/// JSON with floats in Python's notation, including infinities.
fn json_of(value: &Value<'_>) -> String {
    written(|writer| _ = writer.python_value(value))
}

impl Expression<'_> {
    /// True if Python's `literal_eval` would accept it: no names, no arithmetic, no calls.
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

    /// The dotted name of the callee.
    pub(super) fn dotted(&self) -> Option<String> {
        match self {
            Self::Name(name) => Some((*name).to_owned()),
            Self::Attribute(of, name) => Some(format!("{}.{name}", of.dotted()?)),
            _ => None,
        }
    }

    /// The value as JSON text; `None` if the decoder raises.
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
            // The decoder negates the operand for every unary operator, even for `not`.
            Self::Unary(_, operand) => match &**operand {
                Self::Literal(source) => {
                    literal(&format!("-{source}")).map(|value| json_of(&value))
                }
                Self::Name("True") => Some("-1".to_owned()),
                Self::Name("False") => Some("0".to_owned()),
                _ => None,
            },
            Self::Binary(..) => self.calculated().map(|value| json_of(&value)),
            Self::Call(_, arguments) if arguments.iter().all(|(name, _)| name.is_position()) => {
                Some(json_text(&self.python(0)))
            }
            Self::Call(of, arguments) => {
                let named = arguments.iter().filter(|(name, _)| !name.is_position());
                let members = named
                    .map(|(name, value)| {
                        Some(format!("{}:{}", json_text(name.text()), value.json()?))
                    })
                    .collect::<Option<Vec<_>>>()?;
                Some(format!(
                    "{{{}:{{{}}}}}",
                    json_text(&of.dotted()?),
                    members.join(",")
                ))
            }
            // The decoder unparses object and index separately, so a tuple keeps its brackets.
            Self::Subscript(of, index) => {
                Some(json_text(&format!("{}[{}]", of.python(0), index.python(0))))
            }
            Self::Attribute(..) | Self::Slice(_) => None,
        }
    }

    /// The value of a positional argument, which the decoder drops: its source if it cannot be evaluated.
    pub(super) fn json_or_text(&self) -> String {
        self.json().unwrap_or_else(|| json_text(&self.python(0)))
    }

    /// Evaluates operators like Python; `None` if only Python could.
    fn calculated(&self) -> Option<Value<'static>> {
        let all = |items: &[Self]| {
            items
                .iter()
                .map(Self::calculated)
                .collect::<Option<Vec<_>>>()
        };
        match self {
            Self::Literal(source) => literal(source),
            Self::Name("True") => Some(Value::Bool(true)),
            Self::Name("False") => Some(Value::Bool(false)),
            Self::Name("None") => Some(Value::Null),
            Self::List(items) => all(items).map(Value::List),
            Self::Tuple(items) => {
                all(items).map(|items| Value::Python(Box::new(PythonValue::Tuple(items))))
            }
            Self::Dict(members) => {
                let member = |(key, value): &(Self, Self)| match key.calculated()? {
                    Value::String(key) => Some((key, value.calculated()?)),
                    _ => None,
                };
                let members = members.iter().map(member).collect::<Option<_>>()?;
                Some(Value::Object(Object::new(members)))
            }
            Self::Unary(operator, operand) => python::unary(operator, &operand.calculated()?),
            Self::Binary(left, operator, right) => {
                python::binary(&left.calculated()?, operator, &right.calculated()?)
            }
            _ => None,
        }
    }

    /// The precedence of the expression as an operand.
    fn precedence(&self) -> usize {
        match self {
            Self::Binary(_, operator, _) => OPERATORS
                .iter()
                .position(|line| line.contains(operator))
                .map_or(SIGN + 1, |line| line + 1),
            Self::Unary(operator, _) if *operator == NOT => 0,
            Self::Unary(..) => SIGN,
            _ => ATOM,
        }
    }

    /// The output of Python's `ast.unparse`, in brackets if the operand position `of` needs them.
    fn python(&self, of: usize) -> String {
        let joined = |items: &[Self]| listed(items, |item| item.python(0));
        let text = match self {
            Self::Literal(source) => match literal(source) {
                // Python writes infinity as a literal above the largest float.
                Some(Value::Float(float)) if float.is_infinite() => "1e309".to_owned(),
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
            Self::Unary(operator, operand) if *operator == NOT => {
                format!("{operator} {}", operand.python(0))
            }
            Self::Unary(sign, operand) => format!("{sign}{}", operand.python(SIGN)),
            Self::Slice(parts) => {
                let part = |part: &Option<Box<Self>>| part.as_ref().map(|it| it.python(0));
                let [start, end, step] = [0, 1, 2].map(|at| part(&parts[at]));
                let step = step.map(|step| format!(":{step}"));
                let text = |part: Option<String>| part.unwrap_or_default();
                format!("{}:{}{}", text(start), text(end), text(step))
            }
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
                let argument = |(name, value): &Argument<'_>| match name {
                    Name::Positional => value.python(0),
                    // Only `not` needs brackets here, as it binds less tightly.
                    Name::Starred => format!("*{}", value.python(1)),
                    Name::Keyword(name) => format!("{name}={}", value.python(0)),
                    Name::Unpacked => format!("**{}", value.python(0)),
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

/// The texts of the items, separated by commas.
fn listed<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
    let texts: Vec<_> = items.iter().map(text).collect();
    texts.join(", ")
}

impl<'t> Name<'t> {
    /// True for arguments without a name, which the decoder drops.
    pub(super) fn is_position(self) -> bool {
        matches!(self, Self::Positional | Self::Starred)
    }

    /// The key that the decoder uses for the argument.
    pub(super) fn text(self) -> &'t str {
        match self {
            Self::Keyword(name) => name,
            _ => NO_NAME,
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
            ("not True", "-1"),
            ("not 5", "-5"),
            ("~5", "-5"),
            ("[1]*2", "[1,1]"),
            ("[True] * 2 + [1 + 1]", "[true,true,2]"),
            ("(1,) + (2,)", "[1,2]"),
            ("1<<3", "8"),
            ("5&3", "1"),
            ("5|2", "7"),
            ("5^1", "4"),
            ("1 | 2 ^ 3 & 4 << 1 + 1", "3"),
            ("2 ** 100", "1267650600228229401496703205376"),
            ("'%d' % 5", r#""5""#),
            ("'%s-%.1f' % ('a', 1)", r#""a-1.0""#),
            ("{'a': 1} | {'b': 2}", r#"{"a":1,"b":2}"#),
            ("x[1:2]", r#""x[1:2]""#),
            ("x[:, ::2, -1:]", r#""x[(:, ::2, -1:)]""#),
            ("x[::]", r#""x[:]""#),
            ("g(not x, not -y)", r#""g(not x, not -y)""#),
            ("g((1 | 2) & 3, *a)", r#""g((1 | 2) & 3, *a)""#),
            ("g(*not a, *1|2)", r#""g(*(not a), *1 | 2)""#),
            ("g(**k)", r#"{"g":{"null":"k"}}"#),
            ("[1, # one\n 2 # two\n]", "[1,2]"),
            ("1e400", "Infinity"),
            ("x[1e400]", r#""x[1e309]""#),
            ("-1e400", "-Infinity"),
            ("1e308 * 10", "Infinity"),
            ("[1e400] * 2", "[Infinity,Infinity]"),
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
            "1 + not 2",
            "[*a]",
            "{**a}",
            "x[]",
            "x[1:2:3:4]",
            "-None",
            "not x",
            "'%d' % x",
            "5 & 1.0",
            "1\u{a0}+ 2",
        ] {
            assert_eq!(
                parse(source).and_then(|expression| expression.json()),
                None,
                "{source}"
            );
        }
        let deep = format!("{}1{}", "[".repeat(1000), "]".repeat(1000));
        assert!(parse(&deep).is_none() && parse(&"-".repeat(100_000)).is_none());
        assert!(parse(&"not ".repeat(100_000)).is_none());
        for link in [
            "+1", "*1", "**1", "|1", "<<1", ".a", "()", "[0]", "[:]", "//(1)",
        ] {
            assert!(
                parse(&format!("a{}", link.repeat(100_000))).is_none(),
                "{link}"
            );
        }
        // The maximum depth must fit the small stack of a test thread.
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
