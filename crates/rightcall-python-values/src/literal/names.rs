//! Character names for `\N{NAME}` in Python 3.11: those of Unicode 14, ignoring case.

/// The longest name or alias.
const MAX_NAME: usize = 128;

/// Code points named after Unicode 14. Ranges are joined across code points without names.
#[rustfmt::skip]
const UNNAMED: [(u32, u32); 65] = [
    (0x088F, 0x088F), (0x0897, 0x0897), (0x0C5C, 0x0C5C), (0x0CDC, 0x0CDC), (0x0CF3, 0x0CF3),
    (0x0ECE, 0x0ECE), (0x1ACF, 0x1AEB), (0x1B4E, 0x1B4F), (0x1B7F, 0x1B7F), (0x1C89, 0x1C8A),
    (0x20C1, 0x20C1), (0x2427, 0x2429), (0x2B96, 0x2B96), (0x2FFC, 0x2FFF), (0x31E4, 0x31EF),
    (0xA7CB, 0xA7CF), (0xA7D2, 0xA7D2), (0xA7D4, 0xA7D4), (0xA7DA, 0xA7F1), (0xFBC3, 0xFBD2),
    (0xFD90, 0xFD91), (0xFDC8, 0xFDCE), (0x1_05C0, 0x1_05F3), (0x1_0940, 0x1_0959), (0x1_0D40, 0x1_0D8F),
    (0x1_0EC2, 0x1_0EFF), (0x1_123F, 0x1_1241), (0x1_1380, 0x1_13E2), (0x1_16D0, 0x1_16E3), (0x1_1B00, 0x1_1BF9),
    (0x1_1DB0, 0x1_1DE9), (0x1_1F00, 0x1_1F5A), (0x1_342F, 0x1_342F), (0x1_3439, 0x1_43FA), (0x1_6100, 0x1_6139),
    (0x1_6D40, 0x1_6D79), (0x1_6EA0, 0x1_6ED3), (0x1_6FF2, 0x1_6FF6), (0x1_8CFF, 0x1_8DF2), (0x1_B132, 0x1_B132),
    (0x1_B155, 0x1_B155), (0x1_CC00, 0x1_CEF0), (0x1_D2C0, 0x1_D2D3), (0x1_DF25, 0x1_DF2A), (0x1_E030, 0x1_E08F),
    (0x1_E4D0, 0x1_E6FF), (0x1_F6D8, 0x1_F6DC), (0x1_F774, 0x1_F77F), (0x1_F7D9, 0x1_F7D9), (0x1_F8B2, 0x1_F8D8),
    (0x1_FA54, 0x1_FA57), (0x1_FA75, 0x1_FA77), (0x1_FA87, 0x1_FA8F), (0x1_FAAD, 0x1_FAAF), (0x1_FABB, 0x1_FABF),
    (0x1_FAC6, 0x1_FACF), (0x1_FADA, 0x1_FADF), (0x1_FAE8, 0x1_FAEF), (0x1_FAF7, 0x1_FAF8), (0x1_FBCB, 0x1_FBEF),
    (0x1_FBFA, 0x1_FBFA), (0x2_B739, 0x2_B73F), (0x2_CEA2, 0x2_CEAD), (0x2_EBF0, 0x2_EE5D), (0x3_1350, 0x3_3479),
];

/// The code point of a name or alias.
pub(super) fn character(name: &str) -> Option<u32> {
    // `unicode_names2` overflows on a leading hyphen.
    let starts_well = name.starts_with(|it: char| it.is_ascii_alphanumeric());
    if name.len() > MAX_NAME || !name.is_ascii() || !starts_well {
        return None;
    }
    let found = unicode_names2::character(name)?;
    let point = u32::from(found);
    if UNNAMED
        .iter()
        .any(|&(first, last)| (first..=last).contains(&point))
    {
        return None;
    }
    // `unicode_names2` ignores differences in blanks, hyphens and underscores. Python ignores only case, and not even case in computed
    // names.
    let official = unicode_names2::name(found).map(|name| name.to_string());
    let is_computed = |name: &str| {
        name.starts_with("HANGUL SYLLABLE ") || name.starts_with("CJK UNIFIED IDEOGRAPH-")
    };
    let is_exact = match &official {
        Some(official) if is_computed(official) => official == name,
        Some(official) if official.eq_ignore_ascii_case(name) => true,
        Some(official) if is_same_but_for_marks(official, name) => false,
        // An alias: its exact spelling is unknown here.
        _ => !name.contains('_') && name.split(' ').all(|word| !word.is_empty()),
    };
    is_exact.then_some(point)
}

fn is_same_but_for_marks(left: &str, right: &str) -> bool {
    let letters = |name: &str| {
        name.bytes()
            .filter(u8::is_ascii_alphanumeric)
            .map(|it| it.to_ascii_uppercase())
            .collect::<Vec<_>>()
    };
    letters(left) == letters(right)
}
