//! Parses Python literals as `ast.literal_eval` of Python 3.11 does.
//!
//! A text is first parsed as any Python expression and then evaluated, as in Python: this decides which of two errors Python reports.
//! Values keep their Python type; a dict with only string keys becomes an object.

mod lexer;
mod names;
mod node;
mod parser;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use self::lexer::Result;
use self::node::Node;
use self::parser::Parser;
use crate::integer::Integer;
use crate::repr::repr;
use crate::text::Text;
use crate::value::{Object, PythonValue, Value};

/// The value of a Python literal.
pub type Literal = Value<'static>;

/// Why a text is not a Python literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiteralError {
    /// It is not a Python expression, or the expression is not a literal.
    Invalid,
    /// A dict key or set member is not hashable; holds Python's name of its type.
    Unhashable(&'static str),
}

/// Parses a Python literal.
///
/// # Errors
/// The text is not a literal, or not hashable where Python requires it.
pub fn parse_literal(text: &Text<'_>) -> Result<Literal> {
    let source = lexer::prepare(text)?;
    let node = Parser::new(&source)?.top()?;
    evaluate(node)
}

/// Evaluates an expression in Python's order, so that the first error is the one that Python reports.
fn evaluate(node: Node) -> Result<Literal> {
    let python = |value| Ok(Value::Python(Box::new(value)));
    match node {
        Node::Constant(value) | Node::Computed(value) => Ok(value),
        Node::Tuple(items) => python(PythonValue::Tuple(
            items.into_iter().map(evaluate).collect::<Result<_>>()?,
        )),
        Node::List(items) => Ok(Value::List(
            items.into_iter().map(evaluate).collect::<Result<_>>()?,
        )),
        Node::Set(items) => {
            let mut members = Vec::with_capacity(items.len());
            for item in items {
                let member = evaluate(item)?;
                check_hashable(&member)?;
                members.push((member, ()));
            }
            python(PythonValue::Set(
                merge(members)
                    .into_iter()
                    .map(|(member, ())| member)
                    .collect(),
            ))
        }
        Node::Dict(items) => {
            let mut entries = Vec::with_capacity(items.len());
            for (key, value) in items {
                let (key, value) = (evaluate(key)?, evaluate(value)?);
                check_hashable(&key)?;
                entries.push((key, value));
            }
            Ok(dict(entries))
        }
        Node::EmptySet => python(PythonValue::Set(Vec::new())),
        Node::SetName | Node::Place | Node::Starred(_) | Node::Forbidden => {
            Err(LiteralError::Invalid)
        }
    }
}

fn dict(entries: Vec<(Literal, Literal)>) -> Literal {
    if entries.iter().any(|(key, _)| key.as_text().is_none()) {
        return Value::Python(Box::new(PythonValue::Dict(merge(entries))));
    }
    let named = entries.into_iter().filter_map(|(key, value)| match key {
        Value::String(key) => Some((key, value)),
        _ => None,
    });
    Value::Object(Object::new(named.collect()))
}

/// Fails on the first nested value that is not hashable in Python.
fn check_hashable(value: &Literal) -> Result<()> {
    let unhashable = match value {
        Value::List(_) => "list",
        Value::Object(_) => "dict",
        Value::Python(python) => match &**python {
            PythonValue::Tuple(items) => return items.iter().try_for_each(check_hashable),
            PythonValue::Set(_) => "set",
            PythonValue::Dict(_) => "dict",
            _ => return Ok(()),
        },
        _ => return Ok(()),
    };
    Err(LiteralError::Unhashable(unhashable))
}

/// Merges entries with equal keys: the first key keeps its position, the last value counts.
fn merge<T>(entries: Vec<(Literal, T)>) -> Vec<(Literal, T)> {
    let mut merged: Vec<(Literal, T)> = Vec::with_capacity(entries.len());
    let mut places = BTreeMap::<Text<'static>, usize>::new();
    for (key, value) in entries {
        match places.entry(repr(&representative(&key))) {
            Entry::Occupied(place) => merged[*place.get()].1 = value,
            Entry::Vacant(place) => {
                place.insert(merged.len());
                merged.push((key, value));
            }
        }
    }
    merged
}

/// The same value for all hashable values that are equal in Python, such as `1`, `1.0` and `True`. No literal is `NaN`.
fn representative(value: &Literal) -> Literal {
    let float = |float| Integer::from_integral(float).map_or(Value::Float(float), Value::Integer);
    match value {
        Value::Bool(it) => Value::Integer(i64::from(*it).into()),
        Value::Float(it) => float(*it),
        Value::Python(python) => match &**python {
            PythonValue::Complex { real, imaginary } if *imaginary == 0.0 => float(*real),
            PythonValue::Complex { real, imaginary } => {
                // -0 + 0 is 0.
                let (real, imaginary) = (real + 0.0, imaginary + 0.0);
                Value::Python(Box::new(PythonValue::Complex { real, imaginary }))
            }
            PythonValue::Tuple(items) => Value::Python(Box::new(PythonValue::Tuple(
                items.iter().map(representative).collect(),
            ))),
            _ => value.clone(),
        },
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Literal> {
        parse_literal(&Text::new(text))
    }

    #[track_caller]
    fn equal(left: &str, right: &str) {
        let (left, right) = (read(left).unwrap(), read(right).unwrap());
        assert_eq!(format!("{left:?}"), format!("{right:?}"));
    }

    #[test]
    fn the_literal_starts_in_column_0() {
        for text in [
            "{}",
            " \t{}",
            "\n{}",
            "\n \x0C{}",
            "# a\n\n{}",
            "{} ",
            "{}\n",
            "{}\n #a",
            "{}\\\n#a",
            "\\\n{}",
            "\r\n{\r}",
        ] {
            assert!(read(text).is_ok(), "{text:?}");
        }
        for text in [
            "\n {}",
            "{}\n ",
            "{}\n\x0C ",
            "{}\\\n",
            "{}\\",
            "\x0C\\\n {}",
            "\u{FEFF}{}",
            "{}#\0",
            "{\u{A0}}",
            "{}\n{}",
            "",
        ] {
            assert_eq!(read(text).unwrap_err(), LiteralError::Invalid, "{text:?}");
        }
    }

    #[test]
    fn numbers() {
        equal(
            "[0x_F, 0O17, 0b1_0, 1_000, 00, -(1), +2]",
            "[15, 15, 2, 1000, 0, -1, 2]",
        );
        equal(
            "[1., .5, 1.e5, 01.5, 1e400]",
            "[1.0, 0.5, 100000.0, 1.5, 1e999]",
        );
        equal("((-1)+2j, 1-.5J)", "(-1+2j, 1-0.5j)");
        for text in [
            "01",
            "1_",
            "1__0",
            "0x",
            "0b2",
            "1e",
            "--1",
            "-True",
            "1+2",
            "1j+1",
            "1+-2j",
            "1a",
            &"9".repeat(4301),
        ] {
            assert_eq!(read(text).unwrap_err(), LiteralError::Invalid, "{text}");
        }
        assert!(read(&"9".repeat(4300)).is_ok());
    }

    #[test]
    fn strings() {
        equal(r"'a' u'\x62' '''c''' r'\d'", r#""abc\\d""#);
        equal(
            r"'\N{latin small letter e with acute}\N{NBSP}\101\q'",
            "'\u{E9}\u{A0}A\\\\q'",
        );
        equal(r"b'\777\u0041' bR'\x'", r"b'\xff\\u0041\\x'");
        let read_points = |text| {
            read(text)
                .unwrap()
                .as_text()
                .unwrap()
                .code_points()
                .collect::<Vec<_>>()
        };
        assert_eq!(read_points(r"'\ud83d\ude42'"), [0xD83D, 0xDE42]);
        for text in [
            "'a' b'b'",
            "'\n'",
            r"'\x4'",
            r"'\U00110000'",
            r"'\N{x}'",
            r"'\N{LATINSMALLLETTERA}'",
            "b'\u{E9}'",
            "ur''",
            "f''",
            "'a",
        ] {
            assert_eq!(read(text).unwrap_err(), LiteralError::Invalid, "{text}");
        }
        let mut lone = crate::text::TextBuilder::default();
        for point in [0x27, 0xD83D, 0x27] {
            lone.push(point);
        }
        assert_eq!(
            parse_literal(&lone.finish()).unwrap_err(),
            LiteralError::Invalid
        );
    }

    #[test]
    fn equal_keys_are_merged() {
        equal(
            "{1: 'a', True: 'b', 2: 'c', 1.0: 'd', 1+0j: 'e'}",
            "{1: 'e', 2: 'c'}",
        );
        equal("{'a': 1, 'b': 2, 'a': 3}", "{'a': 3, 'b': 2}");
        let many: Vec<_> = (0..40).map(|key| format!("({key},)")).collect();
        equal(
            &format!("{{{}, (True,)}}", many.join(",")),
            &format!("{{{}}}", many.join(",")),
        );
    }

    #[test]
    fn the_first_error_matches_python() {
        for (text, fault) in [
            ("{[]: 1}", LiteralError::Unhashable("list")),
            ("{(1, [{}]): 1}", LiteralError::Unhashable("list")),
            ("{set(): 1}", LiteralError::Unhashable("set")),
            ("{{}, a}", LiteralError::Unhashable("dict")),
            (
                "{[]: 1, 2: f(x for x in y)}",
                LiteralError::Unhashable("list"),
            ),
            ("{[]: a}", LiteralError::Invalid),
            ("{[]: 1, 2: f(x for x in)}", LiteralError::Invalid),
            ("{[]: 1} 1", LiteralError::Invalid),
        ] {
            assert_eq!(read(text).unwrap_err(), fault, "{text}");
        }
    }

    #[test]
    fn brackets_nest_200_deep_and_huge_texts_take_linear_time() {
        let nested = |depth| "[".repeat(depth) + &"]".repeat(depth);
        assert!(read(&nested(200)).is_ok());
        assert_eq!(read(&nested(201)).unwrap_err(), LiteralError::Invalid);
        for part in [
            "(1 or 1 and 1 == 1 | 1 ^ 1 & 1 << 1 + 1 * ",
            "lambda: not ",
            "1 if 1 else ",
            "- ",
            "2 ** -",
            "1 + ",
            "'' ",
            "{[",
            "f(x[",
        ] {
            assert!(
                read(&part.repeat(20_000)).is_ok_and(|value| value.as_text().is_some())
                    == (part == "'' "),
                "{part}"
            );
        }
        let keys: Vec<_> = (0..100_000).map(|key| format!("{key}: 0")).collect();
        assert!(read(&format!("{{{}}}", keys.join(","))).is_ok());
    }
}
