//! Parses Java values from text. A text that doesn't have the declared type stays a string.

use super::literal::{checked_integer, inside, number, strip, text};
use super::{Converted, stumble};
use crate::outcome::EvaluationError;
use crate::value::{Object, Text, Value};

// In Python, `$` also matches before a final line feed, `\s` also matches four ASCII separators, and `\w` matches letters, numbers and `_`
// without marks.
regex!(INTEGER, r"^-?\d+\n?$");
regex!(FLOAT, r"^-?\d+(\.\d+)?([eE][+-]?\d+)?[fF]\n?$");
regex!(DOUBLE, r"^-?\d+(\.\d+)?([eE][+-]?\d+)?\n?$");
regex!(LONG, r"^-?\d+[lL]\n?$");
regex!(
    LIST_OF,
    r"new[\s\x1c-\x1f]+ArrayList<[\p{L}\p{N}_]*>\(Arrays\.asList\((.+?)\)\)"
);
regex!(
    LIST_WITH,
    r"(?s)new[\s\x1c-\x1f]+ArrayList<[\p{L}\p{N}_]*>\(\)[\s\x1c-\x1f]*\{\{[\s\x1c-\x1f]*(.+?)[\s\x1c-\x1f]*\}\}"
);
regex!(ADD, r"add\((.+?)\)");
regex!(
    EMPTY_LIST,
    r"new[\s\x1c-\x1f]+ArrayList<[\p{L}\p{N}_]*>\(\)"
);
regex!(
    ARRAY,
    r"new[\s\x1c-\x1f]+[\p{L}\p{N}_]+\[\][\s\x1c-\x1f]*\{(.*?)\}"
);
regex!(
    MAP,
    r"(?s)new[\s\x1c-\x1f]+HashMap<.*?>[\s\x1c-\x1f]*\(\)[\s\x1c-\x1f]*\{[\s\x1c-\x1f]*\{?[\s\x1c-\x1f]*(.*?)[\s\x1c-\x1f]*\}?[\s\x1c-\x1f]*\}"
);
regex!(PUT, r#"put\("(.*?)",[\s\x1c-\x1f]*(.*?)\)"#);
regex!(
    EMPTY_MAP,
    r"new[\s\x1c-\x1f]+HashMap<.*?>[\s\x1c-\x1f]*\(\)"
);

/// The value of a text, given its declared type and its item type.
pub(super) fn convert(written: &str, declared: &str, item: Option<&str>) -> Converted {
    let or_text = |value: Option<Value<'static>>| Ok(value.unwrap_or_else(|| text(written)));
    match declared {
        "byte" | "short" | "integer" if INTEGER.is_match(written) => checked_integer(written),
        "long" if LONG.is_match(written) => {
            checked_integer(written.trim_end().trim_end_matches(['l', 'L']))
        }
        "float" => {
            let digits = written.trim_end().trim_end_matches(['f', 'F']);
            or_text(FLOAT.is_match(written).then(|| float(digits)).flatten())
        }
        "double" => or_text(DOUBLE.is_match(written).then(|| float(written)).flatten()),
        "boolean" => or_text(truth(written)),
        "byte" | "short" | "integer" | "long" | "char" | "String" | "any" => Ok(text(written)),
        "ArrayList" => array_list(written, item),
        "Array" => array(written, item),
        "HashMap" => hash_map(written),
        _ => Err(stumble("a type of Java that is not converted")),
    }
}

fn float(digits: &str) -> Option<Value<'static>> {
    super::literal::float(digits).map(Value::Float)
}

fn truth(written: &str) -> Option<Value<'static>> {
    match written {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        _ => None,
    }
}

/// A value of unknown type.
fn value(written: &str) -> Converted {
    if let Some(truth) = truth(written) {
        return Ok(truth);
    }
    if written.starts_with('"') && written.ends_with('"') {
        return Ok(text(inside(written)));
    }
    if LONG.is_match(written) {
        // The last character is removed, whatever it is, as in the original.
        let mut letters = written.chars();
        letters.next_back();
        return checked_integer(letters.as_str());
    }
    if FLOAT.is_match(written)
        && let Some(float) = float(written.trim_end().trim_end_matches(['f', 'F']))
    {
        return Ok(float);
    }
    Ok(number(written).unwrap_or_else(|| text(written)))
}

fn element(written: &str, item: Option<&str>) -> Converted {
    match item {
        Some(item) => convert(written, item, None),
        None => value(written),
    }
}

fn array_list(written: &str, item: Option<&str>) -> Converted {
    let of_list = |written: &str| match item {
        Some("char" | "String") => Ok(text(inside(written))),
        item => element(written, item),
    };
    let elements = |all: Vec<&str>| -> Converted {
        let all: Result<_, _> = all.into_iter().map(|it| of_list(strip(it))).collect();
        Ok(Value::List(all?))
    };
    if let Some(found) = LIST_OF.captures(written) {
        return elements(found[1].split(',').collect());
    }
    if let Some(found) = LIST_WITH.captures(written) {
        let added = found.get(1).map_or("", |added| added.as_str());
        let added = ADD.captures_iter(added);
        return elements(
            added
                .filter_map(|it| it.get(1))
                .map(|it| it.as_str())
                .collect(),
        );
    }
    Ok(if EMPTY_LIST.is_match(written) {
        Value::List(Vec::new())
    } else {
        text(written)
    })
}

fn array(written: &str, item: Option<&str>) -> Converted {
    let Some(found) = ARRAY.captures(written) else {
        return Ok(text(written));
    };
    let elements = found[1].split(',').map(strip);
    let elements = elements.filter(|it| !it.is_empty());
    let elements: Result<_, _> = elements.map(|it| element(it, item)).collect();
    Ok(Value::List(elements?))
}

fn hash_map(written: &str) -> Converted {
    let Some(found) = MAP.captures(written) else {
        return Ok(if EMPTY_MAP.is_match(written) {
            Value::Object(Object::default())
        } else {
            text(written)
        });
    };
    let puts = PUT.captures_iter(found.get(1).map_or("", |puts| puts.as_str()));
    let entry = |put: regex::Captures<'_>| {
        let key = Text::from(put[1].to_owned());
        Ok((key, value(strip(&put[2]))?))
    };
    let entries: Result<_, EvaluationError> = puts.map(entry).collect();
    Ok(Value::Object(Object::new(entries?)))
}
