//! A fast check whether two JSON texts are equal.
//!
//! Most compared arguments are identical texts, or flat objects of a few members in another order. These need no tree and no hash.

use smallvec::SmallVec;
use wide::u8x16;

use rightcall_python_values::Text;

use crate::decode::decode_with;
use crate::equality::ValueEquality;
use crate::reader::Reader;
use crate::syntax::{Kind, Syntax};

/// Objects with more members are left to digests, to keep this check fast.
const FEW: usize = 16;

/// True if two well-formed JSON texts are equal under an equality; `None` if that needs a full
/// comparison.
pub fn quick_equal(left: &str, right: &str, equality: ValueEquality) -> Option<bool> {
    if left == right {
        return equals_itself(left).then_some(true);
    }
    if have_same_members(left, right) {
        return Some(true);
    }
    let (mut left_members, mut right_members) = (Members::new(), Members::new());
    members(left, equality, &mut left_members)?;
    members(right, equality, &mut right_members)?;
    let (left, right) = (left_members, right_members);
    if left.len() != right.len() {
        return Some(false);
    }
    let mut unclear = false;
    for (place, (key, value)) in left.iter().enumerate() {
        // Members are usually in the same order.
        let at_place = right.get(place).filter(|(other, _)| other == key);
        let Some((_, other)) = at_place.or_else(|| right.iter().find(|(other, _)| other == key))
        else {
            return Some(false);
        };
        match equal_members(value, other, equality) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => unclear = true,
        }
    }
    (!unclear).then_some(true)
}

/// True for two objects with the same few plain members, written alike, and no repeated key.
fn have_same_members(left: &str, right: &str) -> bool {
    let mut members = SmallVec::<[(&[u8], &str); 8]>::new();
    let mut is_clear = true;
    let is_plain = Reader::new(left, Syntax::PYTHON).plain_object(|key, _, value| {
        is_clear &= members.len() < 8 && members.iter().all(|(other, _)| *other != key);
        if is_clear {
            members.push((key, value));
        }
    });
    if !is_plain || !is_clear {
        return false;
    }
    let (mut matched, mut count) = (0_u32, 0);
    let is_plain = Reader::new(right, Syntax::PYTHON).plain_object(|key, _, value| {
        let place = members.iter().position(|member| *member == (key, value));
        matched |= place.map_or(0, |place| 1 << place);
        count += 1;
    });
    is_plain && count == members.len() && matched.count_ones() as usize == count
}

/// True if a text certainly equals itself. A text with `NaN` may not.
pub fn equals_itself(text: &str) -> bool {
    text.starts_with(|first: char| first == '"' || first.is_ascii_digit())
        || !contains_n(text.as_bytes())
        || !text.contains("NaN")
}

/// True if there is a capital N, which is rare and fast to find.
fn contains_n(bytes: &[u8]) -> bool {
    let (blocks, rest) = bytes.as_chunks();
    let in_block =
        |block: &[u8; 16]| u8x16::new(*block).simd_eq(u8x16::splat(b'N')).to_bitmask() != 0;
    blocks.iter().any(in_block) || rest.contains(&b'N')
}

fn equal_members(left: &str, right: &str, equality: ValueEquality) -> Option<bool> {
    if left == right {
        return equals_itself(left).then_some(true);
    }
    let is_plain = |text: &str| text.starts_with('"') && !text.contains('\\');
    if is_plain(left) && is_plain(right) {
        return Some(false);
    }
    let is_scalar = |text: &str| !text.starts_with(['{', '[']);
    if !is_scalar(left) || !is_scalar(right) {
        return None;
    }
    let (left, right) = (
        decode_with(left, Syntax::PYTHON).ok()?,
        decode_with(right, Syntax::PYTHON).ok()?,
    );
    Some(equality.equal_inside(&left, &right))
}

/// Keys and the texts of their values.
type Members<'a> = SmallVec<[(Text<'a>, &'a str); 8]>;

/// Reads the members of a small object. `None` for any other value, for repeated keys, and for keys that the equality ignores.
fn members<'a>(text: &'a str, equality: ValueEquality, members: &mut Members<'a>) -> Option<()> {
    let mut is_clear = true;
    let add = |members: &mut Members<'a>, key: Text<'a>, value: &'a str| {
        let is_clear = members.len() < FEW
            && equality.keeps(&key)
            && members.iter().all(|(other, _)| *other != key);
        if is_clear {
            members.push((key, value));
        }
        is_clear
    };
    let mut reader = Reader::new(text, Syntax::PYTHON);
    if reader.plain_object(|key, _, value| is_clear &= add(members, Text::from_bytes(key), value)) {
        return is_clear.then_some(());
    }
    let mut reader = Reader::new(text, Syntax::PYTHON);
    if reader.peek().ok()? != Kind::Object {
        return None;
    }
    members.clear();
    let mut first = reader.enter_object().ok()?;
    while let Some(key) = reader.next_key(&mut first).ok()? {
        if !add(members, key, reader.raw().ok()?) {
            return None;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::digest::tests::{ALL, json};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn quick_answers_match_a_full_comparison(left in json(), right in json()) {
            let decode = |text: &str| decode_with(text, Syntax::PYTHON).unwrap().into_owned();
            for equality in ALL {
                for (left, right) in [(&left, &right), (&left, &left)] {
                    if let Some(equal) = quick_equal(left, right, equality) {
                        prop_assert_eq!(equal, equality.equal(&decode(left), &decode(right)), "{:?} {} {}", equality, left, right);
                    }
                }
            }
        }
    }

    #[test]
    fn flat_objects_need_no_full_comparison() {
        let at_a_glance = |left, right| quick_equal(left, right, ValueEquality::Python);
        for (left, right, equal) in [
            (r#"{"a":1}"#, r#"{"a":1}"#, Some(true)),
            (
                r#"{"a":1,"b":"x"}"#,
                r#"{"b":"\u0078", "a":1.0}"#,
                Some(true),
            ),
            (r#"{"a":1,"b":[2]}"#, r#"{"b":[2],"a":true}"#, Some(true)),
            (r#"{"a":1,"b":[2]}"#, r#"{"b":[2],"a":2}"#, Some(false)),
            (r#"{"a":1}"#, r#"{"b":1}"#, Some(false)),
            (r#"{"a":1}"#, "{}", Some(false)),
            (r#"{"a":[1]}"#, r#"{"a":[2],"b":1}"#, Some(false)),
            (r#"{"a":[1]}"#, r#"{"a":[ 1]}"#, None),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#, None),
            (r#"{"a":NaN}"#, r#"{"a":NaN}"#, None),
            ("[1]", "[1.0]", None),
        ] {
            assert_eq!(at_a_glance(left, right), equal, "{left} {right}");
        }
        let many = (0..17)
            .map(|key| format!("\"k{key}\":{key}"))
            .collect::<Vec<_>>()
            .join(",");
        assert_eq!(at_a_glance(&format!("{{{many}}}"), "{}"), None);
        assert_eq!(
            quick_equal(r#"{"__proto__":1}"#, "{}", ValueEquality::StableJson),
            None
        );
    }
}
