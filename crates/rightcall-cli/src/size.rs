//! Sizes in bytes, with units: `64MiB`, `10MB`, `4096`.

const UNITS: [(&str, usize); 9] = [
    ("", 1),
    ("b", 1),
    ("kb", 1000),
    ("mb", 1000 * 1000),
    ("gb", 1000 * 1000 * 1000),
    ("k", 1 << 10),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
];

/// Parses a size into a number of bytes.
///
/// # Errors
/// A message if the text is not a size.
pub(crate) fn parse(text: &str) -> Result<usize, String> {
    let lower = text.trim().to_lowercase();
    let digits = lower.len()
        - lower
            .trim_start_matches(|character: char| character.is_ascii_digit())
            .len();
    let (number, unit) = lower.split_at(digits);
    let factor = UNITS
        .iter()
        .find(|(name, _)| *name == unit.trim())
        .map(|(_, factor)| *factor);
    let size = number
        .parse::<usize>()
        .ok()
        .zip(factor)
        .and_then(|(number, factor)| number.checked_mul(factor));
    size.filter(|size| *size > 0)
        .ok_or_else(|| "expected a size such as 64MiB, 10MB or 4096".to_owned())
}

/// A number of bytes in the largest unit that keeps it whole: `64 MiB`, `1025 bytes`.
pub(crate) fn text(bytes: usize) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let whole = units
        .iter()
        .find(|(unit, _)| bytes > 0 && bytes.is_multiple_of(*unit));
    match whole {
        Some((unit, name)) => format!("{} {name}", bytes / unit),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::{parse, text};

    #[test]
    fn sizes_are_written_in_the_largest_whole_unit() {
        for (bytes, written) in [
            (64 << 20, "64 MiB"),
            (1 << 30, "1 GiB"),
            (1536, "1536 bytes"),
            (2048, "2 KiB"),
            (0, "0 bytes"),
        ] {
            assert_eq!(text(bytes), written);
        }
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse("64MiB"), Ok(64 << 20));
        assert_eq!(parse("10 MB"), Ok(10_000_000));
        assert_eq!(parse("4096"), Ok(4096));
        for text in ["", "0", "-1", "1.5MB", "1XB", "MiB", "99999999999GiB"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
