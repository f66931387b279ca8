//! Draws what a run came to, for people: every function returns text, colours included, and writes nothing.
//!
//! Lines are at most 100 columns wide, numbers line up, and what needs attention comes last. Colour adds meaning to nothing
//! that the text does not say; whoever prints strips it where it is not wanted.

mod comparison;
mod explain;
mod findings;
mod formats;
mod gates;
mod inspection;
mod list;
mod page;
mod runs;
mod score;
mod sentence;
mod text;

pub use comparison::{comparison_screen, overview_screen, prediction_screen, size, test_name, trials_screen, verdict_name};
pub use explain::{ChangeView, Explained, ExplainedResult, change_screen, explain_json, explain_screen};
pub use findings::cause_sentence;
pub use formats::{example_file, format_list, format_markdown, format_page};
pub use gates::run_screen;
pub use inspection::{inspection, inspection_json, read_report};
pub use list::evaluator_list;
pub use page::{page, page_markdown};
pub use runs::{run_list, time};
pub use score::{LowLine, Screen, score_screen};
pub use sentence::sentence;
pub use text::{count, printable};

#[cfg(test)]
mod tests;
