//! `rightcall`: scores the tool calls of AI agents.

use std::hint::black_box;
use std::process::ExitCode;

fn main() -> ExitCode {
    keep_memory();
    ExitCode::from(rightcall_cli::run(std::env::args_os()))
}

/// Makes the GNU allocator keep freed memory, so that the next long case can reuse it.
///
/// By default it returns the top of the heap to the system whenever more than 128 KiB are free there, and gets it back page by page.
/// Freeing a large block raises that threshold to twice the block's size (`mallopt(3)`, `M_MMAP_THRESHOLD`). The block is never written to,
/// so it costs no memory. A larger block would also keep the memory that a growing list of cases leaves behind.
fn keep_memory() {
    drop(black_box(Vec::<u8>::with_capacity(1 << 20)));
}
