//! Tables, sections and numbers in Markdown.

/// A table; empty without rows.
pub(super) fn table(heads: &[&str], rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule: Vec<String> = (0..heads.len())
        .map(|index| if index == 0 { "---" } else { "--:" }.to_owned())
        .collect();
    let heads: Vec<String> = heads.iter().map(|head| (*head).to_owned()).collect();
    let mut text = line(&heads) + &line(&rule);
    rows.iter().for_each(|row| text += &line(row));
    text.trim_end().to_owned()
}

/// A section with text and tables; empty if all tables are.
pub(super) fn section(title: &str, text: &str, tables: &[String]) -> String {
    let tables: Vec<&str> = tables
        .iter()
        .map(String::as_str)
        .filter(|table| !table.is_empty())
        .collect();
    if tables.is_empty() {
        String::new()
    } else {
        format!("## {title}\n\n{text}\n\n{}", tables.join("\n\n"))
    }
}

/// Three significant digits, with thousands separators.
pub(super) fn number(figure: f64) -> String {
    let decimals = match figure.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        size if size >= 0.9995 => 2,
        _ => 3,
    };
    let text = format!("{figure:.decimals$}");
    let (whole, rest) = text
        .split_once('.')
        .map_or((text.as_str(), String::new()), |(whole, rest)| {
            (whole, format!(".{rest}"))
        });
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0
            && (whole.len() - index) % 3 == 0
            && digit.is_ascii_digit()
            && !grouped.ends_with('-')
        {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + &rest
}

/// A table cell; empty without a figure.
pub(super) fn cell(figure: Option<f64>) -> String {
    figure.map(number).unwrap_or_default()
}

/// A factor such as `2.5×`; empty without a figure.
pub(super) fn times(figure: Option<f64>) -> String {
    figure
        .map(|figure| number(figure) + "×")
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_that_count() {
        let shown = [
            0.0123,
            0.9999,
            1.0,
            9.994,
            9.996,
            99.94,
            99.96,
            1_234.5,
            -1_234_567.0,
        ]
        .map(number);
        assert_eq!(
            shown,
            [
                "0.012",
                "1.00",
                "1.00",
                "9.99",
                "10.0",
                "99.9",
                "100",
                "1,234",
                "-1,234,567"
            ]
        );
    }
}
