//! Python's classification of characters.

/// White space of Python's `str.split` and `str.strip`, and of `\s` in its regular expressions.
pub fn is_space(point: u32) -> bool {
    matches!(
        point,
        0x09..=0x0D | 0x1C..=0x20 | 0x85 | 0xA0 | 0x1680 | 0x2000..=0x200A | 0x2028 | 0x2029 | 0x202F | 0x205F | 0x3000
    )
}

/// The value of a decimal digit in any script, as `int`, `float` and `\d` accept them.
///
/// Source: Unicode 16, general category Nd.
pub fn decimal_digit(point: u32) -> Option<u8> {
    let next = ZEROS.partition_point(|zero| *zero <= point);
    let digit = point - ZEROS.get(next.checked_sub(1)?)?;
    u8::try_from(digit).ok().filter(|digit| *digit < 10)
}

/// The zero of each script, in order; the nine other digits follow it.
#[rustfmt::skip]
const ZEROS: [u32; 74] = [
    0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66,
    0xDE6, 0xE50, 0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90,
    0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0,
    0xFF10, 0x1_04A0, 0x1_0D30, 0x1_0D40, 0x1_1066, 0x1_10F0, 0x1_1136, 0x1_11D0, 0x1_12F0,
    0x1_1450, 0x1_14D0, 0x1_1650, 0x1_16C0, 0x1_16D0, 0x1_16DA, 0x1_1730, 0x1_18E0, 0x1_1950,
    0x1_1BF0, 0x1_1C50, 0x1_1D50, 0x1_1DA0, 0x1_1F50, 0x1_6A60, 0x1_6AC0, 0x1_6B50, 0x1_CCF0,
    0x1_D7CE, 0x1_D7D8, 0x1_D7E2, 0x1_D7EC, 0x1_D7F6, 0x1_E140, 0x1_E2F0, 0x1_E4F0, 0x1_E5F1,
    0x1_E950, 0x1_FBF0,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_all_scripts_have_values() {
        for (letter, digit) in [
            ('7', Some(7)),
            ('\u{661}', Some(1)),
            ('\u{ff19}', Some(9)),
            ('\u{1d7ff}', Some(9)),
            ('\u{1e5f1}', Some(0)),
            ('/', None),
            (':', None),
            // Superscripts and numerals are not decimal digits.
            ('\u{b2}', None),
            ('\u{4e00}', None),
        ] {
            assert_eq!(decimal_digit(letter.into()), digit, "{letter}");
        }
    }
}
