//! The times of calls, if recorded.

use rightcall_core::call::{Call, nanoseconds};

/// Width of the time bar in pixels.
const BAR: f64 = 120.0;

/// The time of a call.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Timing {
    /// Time since the first call: `+1.2 s`.
    pub(super) start: String,
    /// Its duration; empty if its end is unknown.
    pub(super) duration: String,
    /// Start and width of its bar, of 120 pixels.
    pub(super) bar: (f64, f64),
}

/// The times of all calls; `None` for those without a start.
pub(super) fn of_calls(calls: &[&Call<'_>]) -> Vec<Option<Timing>> {
    let times: Vec<_> = calls
        .iter()
        .map(|call| {
            (
                call.metadata().start.as_deref().and_then(nanoseconds),
                call.metadata().end.as_deref().and_then(nanoseconds),
            )
        })
        .collect();
    let Some(first) = times.iter().filter_map(|(start, _)| *start).min() else {
        return vec![None; calls.len()];
    };
    let last = times
        .iter()
        .flat_map(|(start, end)| [*start, *end])
        .flatten()
        .max()
        .unwrap_or(first);
    let whole = (last - first).max(1) as f64;
    let timing = |(start, end): &(Option<i128>, Option<i128>)| {
        let start = (*start)?;
        let taken = end.map(|end| end - start).filter(|taken| *taken >= 0);
        let place = |nanoseconds: i128| ((nanoseconds as f64 / whole) * BAR * 10.0).round() / 10.0;
        Some(Timing {
            start: format!("+{}", duration(start - first)),
            duration: taken.map(duration).unwrap_or_default(),
            bar: (
                place(start - first).min(BAR - 2.0),
                taken.map_or(2.0, place).max(2.0),
            ),
        })
    };
    times.iter().map(timing).collect()
}

/// A duration, in the unit that makes it short.
fn duration(nanoseconds: i128) -> String {
    match nanoseconds {
        0 => "0 s".to_owned(),
        ..1_000_000 => format!("{} µs", nanoseconds / 1000),
        1_000_000..1_000_000_000 => format!("{} ms", nanoseconds / 1_000_000),
        1_000_000_000..10_000_000_000 => format!("{:.1} s", nanoseconds as f64 / 1e9),
        10_000_000_000..600_000_000_000 => format!("{} s", nanoseconds / 1_000_000_000),
        _ => format!("{} min", nanoseconds / 60_000_000_000),
    }
}
