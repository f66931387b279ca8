//! The measured tables of `docs/performance.md`. The text around them is written by hand.

use super::jobs::Part;
use super::run::Figures;

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

/// The table of a part: for each input CPU time per case and how many times that of the job compared with, then memory.
pub(super) fn part_table(part: &Part, figures: &Figures, unit: (&str, f64)) -> String {
    let is_measured = |input: &&&str| figures.0.keys().any(|(own, _)| own == **input);
    let inputs: Vec<&str> = part.inputs.iter().filter(is_measured).copied().collect();
    let mut heads = vec![String::new()];
    for input in &inputs {
        let of = if inputs.len() > 1 {
            format!("{input}: ")
        } else {
            String::new()
        };
        heads.extend([format!("{of}{} a case", unit.0), "× ours".to_owned()]);
    }
    heads.push("MB".to_owned());
    let row = |name: &str, beside: &str| {
        let mut row = vec![name.to_owned()];
        for input in &inputs {
            let time = figures
                .cpu_per_case(input, name)
                .map(|it| number(it * unit.1));
            let ratio = figures
                .ratio(input, name, beside)
                .map(|it| number(it) + "×");
            row.extend([time.unwrap_or_default(), ratio.unwrap_or_default()]);
        }
        let peak = inputs
            .iter()
            .find_map(|input| figures.get(input, name))
            .map(|it| it.peak / 1e6);
        row.push(peak.filter(|it| *it > 0.0).map(number).unwrap_or_default());
        row.iter()
            .skip(1)
            .any(|cell| !cell.is_empty())
            .then_some(row)
    };
    let rows = part.jobs.iter().flat_map(|(name, _, beside)| {
        let other = format!("{name}, the other build");
        [row(name, beside), row(&other, name)].into_iter().flatten()
    });
    table(
        &heads.iter().map(String::as_str).collect::<Vec<_>>(),
        &rows.collect::<Vec<_>>(),
    )
}

/// The text between the marks of a table on the page.
pub(super) fn block<'p>(page: &'p str, name: &str) -> Result<&'p str, String> {
    let (begin, end) = (
        format!("<!-- {name} -->\n"),
        format!("<!-- end of {name} -->"),
    );
    page.split_once(&begin)
        .and_then(|(_, rest)| rest.split_once(&end))
        .map(|(block, _)| block)
        .ok_or_else(|| {
            format!(
                "docs/performance.md: expected the lines `{}` and `{end}`",
                begin.trim_end()
            )
        })
}

/// The page with another text between the marks of a table.
pub(super) fn with_block(page: &str, name: &str, text: &str) -> Result<String, String> {
    let before = format!("<!-- {name} -->\n{}", block(page, name)?);
    Ok(page.replace(&before, &format!("<!-- {name} -->\n{text}\n")))
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
