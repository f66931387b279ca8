//! Reads every case of the given files, then prints their number and the speed.
#![expect(clippy::print_stdout, reason = "an example shows something")]

use std::time::Instant;

use rightcall_formats::{Input, Limits, ReadOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args_os().skip(1) {
        let begun = Instant::now();
        let mut input = Input::open(path.as_ref(), Limits::default(), &ReadOptions::default())?;
        let (mut cases, mut calls, mut natives, mut bytes) = (0_u64, 0, 0_u64, 0);
        while let Some(block) = input.next_block(1 << 20)? {
            for record in block.records() {
                let case = record.content.clone().and_then(|content| {
                    let case = content.case(&ReadOptions::default())?;
                    bytes += content.text_of(&case).len();
                    Ok(case)
                });
                match case {
                    Ok(case) => {
                        cases += 1;
                        calls += case.expected.calls.map_or(0, |calls| calls.len());
                        calls += case.actual.map_or(0, |actual| actual.calls.len());
                        natives += u64::from(case.native.is_some());
                    }
                    Err(error) => println!("{}", error.in_record(input.name(), &record)),
                }
            }
        }
        let seconds = begun.elapsed().as_secs_f64();
        let speed = bytes as f64 / 1e6 / seconds;
        println!(
            "{}: {cases} cases, {calls} calls, {natives} in an original's shape; {speed:.0} MB/s",
            input.name()
        );
    }
    Ok(())
}
