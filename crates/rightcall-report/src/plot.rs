//! Plots as SVG for pages.
//!
//! Colours are placeholders that the style sheet replaces with light or dark ones, since CSS rules override SVG attributes.
//! So one picture serves both themes without a script.

use std::fmt::Display;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use rightcall_results::EarlierRun;

use crate::numbers::{number, percent};

/// The style sheet refers to these as `.plot [fill="#010101"]` and so on.
const INK: RGBColor = RGBColor(1, 1, 1);
const LINE: RGBColor = RGBColor(2, 2, 2);
const FIRST: RGBColor = RGBColor(3, 3, 3);
const SECOND: RGBColor = RGBColor(4, 4, 4);

const FONT: &str = "system-ui, sans-serif";
const SMALL: i32 = 15;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// A description of the histogram for screen readers.
pub fn distribution_told(histogram: &[u64]) -> String {
    let steps: Vec<_> = histogram.iter().map(u64::to_string).collect();
    format!(
        "cases in each tenth of the scores from 0 to 1: {}",
        steps.join(", ")
    )
}

/// A histogram of scores: ten bars, each with its number of cases.
pub fn distribution(histogram: &[u64]) -> String {
    let tallest = histogram.iter().copied().max().unwrap_or(0).max(1);
    drawn((360, 130), |area| {
        let mut chart = ChartBuilder::on(area)
            .margin_top(20)
            .margin_left(4)
            .margin_right(4)
            .x_label_area_size(22)
            .build_cartesian_2d(0.0..histogram.len() as f64, 0..tallest)?;
        chart
            .configure_mesh()
            .disable_mesh()
            .disable_axes()
            .draw()?;
        for (step, &cases) in histogram.iter().enumerate() {
            let (from, to) = (step as f64 + 0.06, step as f64 + 0.94);
            chart.draw_series([Rectangle::new([(from, 0), (to, cases)], FIRST.filled())])?;
            if cases > 0 {
                let style = label().pos(Pos::new(HPos::Center, VPos::Bottom));
                chart.draw_series([Text::new(
                    cases.to_string(),
                    (step as f64 + 0.5, cases),
                    style,
                )])?;
            }
        }
        chart.draw_series([PathElement::new(
            [(0.0, 0), (histogram.len() as f64, 0)],
            LINE,
        )])?;
        let (width, height) = area.dim_in_pixel();
        for (text, x, side) in [
            ("0", 4, HPos::Left),
            ("score", width as i32 / 2, HPos::Center),
            ("1", width as i32 - 4, HPos::Right),
        ] {
            area.draw(&Text::new(
                text,
                (x, height as i32 - 18),
                label().pos(Pos::new(side, VPos::Top)),
            ))?;
        }
        Ok(())
    })
}

/// Mean and pass rate of several runs, oldest first.
pub fn over_runs(runs: &[EarlierRun]) -> String {
    drawn((720, 190), |area| {
        let last = runs.len().saturating_sub(1).max(1) as f64;
        let mut chart = ChartBuilder::on(area)
            .margin_top(10)
            .margin_right(16)
            .margin_bottom(24)
            .y_label_area_size(54)
            .build_cartesian_2d(-0.02 * last..1.02 * last, 0.0..1.0)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .disable_x_axis()
            .light_line_style(TRANSPARENT)
            .bold_line_style(LINE)
            .axis_style(LINE)
            .y_labels(5)
            .y_label_formatter(&|share| format!("{:.0} %", share * 100.0))
            .label_style(label())
            .draw()?;
        let of = |number: fn(&EarlierRun) -> Option<f64>| {
            runs.iter()
                .enumerate()
                .filter_map(move |(index, run)| number(run).map(|number| (index as f64, number)))
        };
        chart.draw_series(LineSeries::new(of(|run| run.mean), FIRST.stroke_width(2)))?;
        chart.draw_series(of(|run| run.mean).map(|point| Circle::new(point, 3, FIRST.filled())))?;
        chart.draw_series(LineSeries::new(
            of(|run| run.pass_rate),
            SECOND.stroke_width(2),
        ))?;
        // Use squares, so the lines differ not only in colour.
        let square = |point: (f64, f64)| {
            EmptyElement::at(point) + Rectangle::new([(-3, -3), (3, 3)], SECOND.filled())
        };
        chart.draw_series(of(|run| run.pass_rate).map(square))?;
        let height = area.dim_in_pixel().1 as i32;
        legend(
            area,
            (54, height - 10),
            &[("mean (dots)", FIRST), ("passed (squares)", SECOND)],
        )
    })
}

/// A description of the trend line.
pub fn told(runs: &[EarlierRun]) -> String {
    let run = |run: &EarlierRun| {
        format!(
            "run {}: {}, {}",
            run.label,
            number(run.mean),
            percent(run.pass_rate)
        )
    };
    let runs: Vec<_> = runs.iter().map(run).collect();
    format!("mean and pass rate, oldest first: {}", runs.join("; "))
}

type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// Draws a picture of this size. Drawing to memory cannot fail; if it did, the page would lack the
/// picture.
fn drawn(size: (u32, u32), draw: impl FnOnce(&Area<'_>) -> Drawn) -> String {
    let mut svg = String::new();
    let done = {
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        draw(&area).and_then(|()| area.present())
    };
    if done.is_err() {
        return String::new();
    }
    svg.replacen("<svg ", "<svg aria-hidden=\"true\" focusable=\"false\" ", 1)
}

fn label() -> TextStyle<'static> {
    TextStyle::from((FONT, SMALL).into_font()).color(&INK)
}

fn legend(area: &Area<'_>, at: (i32, i32), entries: &[(impl Display, RGBColor)]) -> Drawn {
    let mut x = at.0;
    for (text, color) in entries {
        let text = text.to_string();
        area.draw(&Rectangle::new(
            [(x, at.1 - 4), (x + 9, at.1 + 5)],
            color.filled(),
        ))?;
        area.draw(&Text::new(
            text.clone(),
            (x + 15, at.1),
            label().pos(Pos::new(HPos::Left, VPos::Center)),
        ))?;
        x += 36 + 7 * text.len() as i32;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_plots_are_valid_svg() {
        for svg in [distribution(&[0; 10]), over_runs(&[])] {
            assert!(
                svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"),
                "{svg}"
            );
        }
    }
}
