//! `rightcall`: scores the tool calls of AI agents.

use std::hint::black_box;
use std::process::ExitCode;

fn main() -> ExitCode {
    keep_memory();
    ExitCode::from(rightcall_cli::run(std::env::args_os()))
}

/// Has the GNU allocator keep what long cases give back, for the next ones.
///
/// It gives the end of its memory back to the system wherever more than 128 KiB are free there, and gets it back page by page; a block
/// that was freed shows it what sizes come and go, and twice that is kept from then on (`mallopt(3)`, `M_MMAP_THRESHOLD`). Nothing is
/// written to the block, so it costs no memory. A larger one would also keep what the list of cases leaves behind when it grows.
fn keep_memory() {
    drop(black_box(Vec::<u8>::with_capacity(1 << 20)));
}
