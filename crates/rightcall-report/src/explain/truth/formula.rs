//! Recomputes a printed line of arithmetic from its text, like a reader.

use std::iter::Peekable;
use std::vec::IntoIter;

/// Tolerance in addition to half of the last printed digit: the numbers in formulas have only six decimals.
const OPEN: f64 = 1e-5;

/// The value at the end of a line, or before its words.
pub(super) fn value(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once(" = ")?;
    match rest.rsplit_once(" = ") {
        Some((_, value)) => Some(value),
        None => rest.split_once(": ").map(|(value, _)| value),
    }
}

/// Checks that a line's formula has its printed value.
pub(super) fn check(line: &str) -> Result<(), String> {
    let value = value(line).unwrap_or_default();
    let printed: f64 = value.parse().map_err(|_| format!("no value: {line}"))?;
    let (_, rest) = line.split_once(" = ").ok_or("no label")?;
    let Some((formula, _)) = rest.rsplit_once(" = ") else {
        let words = rest.split_once(": ").map_or("", |(_, words)| words);
        let is_words = !words.is_empty() && !words.contains(|it: char| it.is_ascii_digit());
        return if is_words {
            Ok(())
        } else {
            Err(format!("no formula: {line}"))
        };
    };
    if !printed.is_finite() {
        return Ok(());
    }
    let computed = compute(formula).ok_or_else(|| format!("no arithmetic: {line}"))?;
    let off = (computed - printed).abs();
    let places = value
        .split_once('.')
        .map_or(0, |(_, fraction)| fraction.len());
    let half = 0.5 * 0.1_f64.powf(places as f64);
    if off <= half + OPEN * printed.abs().max(1.0) {
        Ok(())
    } else {
        Err(format!("{line}, but it is {computed}"))
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(f64),
    Sign(char),
    Function(String),
}

type Tokens = Peekable<IntoIter<Token>>;

/// Evaluates a formula. Words other than functions describe the numbers.
pub(super) fn compute(formula: &str) -> Option<f64> {
    let (formula, is_clamped) = match formula.strip_suffix(", clamped to 0..1") {
        Some(formula) => (formula, true),
        None => (formula, false),
    };
    let mut tokens = tokens(formula)?.into_iter().peekable();
    let value = sum(&mut tokens)?;
    if tokens.next().is_some() {
        return None;
    }
    Some(if is_clamped {
        value.clamp(0.0, 1.0)
    } else {
        value
    })
}

fn tokens(formula: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = formula.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = |is: fn(char) -> bool| rest.find(|it| !is(it)).unwrap_or(rest.len());
        let length = if first.is_ascii_digit() {
            let length = end(|it| it.is_ascii_digit() || it == '.');
            tokens.push(Token::Number(rest[..length].parse().ok()?));
            length
        } else if first.is_alphabetic() {
            let length = end(char::is_alphabetic);
            match &rest[..length] {
                "inf" => tokens.push(Token::Number(f64::INFINITY)),
                "NaN" => tokens.push(Token::Number(f64::NAN)),
                function @ ("round" | "max") => tokens.push(Token::Function(function.to_owned())),
                _ => {}
            }
            length
        } else {
            tokens.push(Token::Sign(first));
            first.len_utf8()
        };
        rest = rest[length..].trim_start();
    }
    Some(tokens)
}

fn sum(tokens: &mut Tokens) -> Option<f64> {
    let mut value = product(tokens)?;
    while let Some(Token::Sign(sign)) =
        tokens.next_if(|token| matches!(token, Token::Sign('+' | '−')))
    {
        let other = product(tokens)?;
        value = if sign == '+' {
            value + other
        } else {
            value - other
        };
    }
    Some(value)
}

fn product(tokens: &mut Tokens) -> Option<f64> {
    let mut value = factor(tokens)?;
    while let Some(Token::Sign(sign)) =
        tokens.next_if(|token| matches!(token, Token::Sign('×' | '/')))
    {
        let other = factor(tokens)?;
        value = if sign == '×' {
            value * other
        } else {
            value / other
        };
    }
    Some(value)
}

fn factor(tokens: &mut Tokens) -> Option<f64> {
    match tokens.next()? {
        Token::Number(number) => Some(number),
        Token::Sign('-') => factor(tokens).map(|number| -number),
        Token::Sign('(') => {
            let value = sum(tokens)?;
            tokens.next_if_eq(&Token::Sign(')')).map(|_| value)
        }
        Token::Function(function) => {
            tokens.next_if_eq(&Token::Sign('('))?;
            let first = sum(tokens)?;
            tokens.next_if_eq(&Token::Sign(','))?;
            let second = sum(tokens)?;
            tokens.next_if_eq(&Token::Sign(')'))?;
            // Don't round here. The result is compared at its printed precision, and unprinted
            // digits decide how a half is rounded.
            Some(if function == "max" {
                first.max(second)
            } else {
                first
            })
        }
        Token::Sign(_) => None,
    }
}

#[test]
fn formulas_are_computed_and_wrong_ones_are_detected() {
    assert_eq!(
        compute("0.25 × ((3 extra + 1 too many) / max(0, 1))"),
        Some(1.0)
    );
    assert_eq!(
        compute("-1 × 2 − -0.5 × (2 + 4) / 3, clamped to 0..1"),
        Some(0.0)
    );
    assert_eq!(compute("round(0.28549, 4)"), Some(0.28549));
    for line in [
        "recall = 1 / 3 = 0.333",
        "score = 1.000: every action matches",
        "f1 = 2 × 1 × 0.5 / (1 + 0.5) = 0.667",
        "score = round(0.28549, 4) = 0.2855",
    ] {
        assert_eq!(check(line), Ok(()));
    }
    for line in [
        "recall = 0 / 0 = 0.000",
        "recall = 1 / 3 = 0.334",
        "score = round(0.28549, 4) = 0.2854",
        "score = strict: no = 0.000",
        "score = 1.000: all 3",
    ] {
        assert!(check(line).is_err(), "{line}");
    }
}
