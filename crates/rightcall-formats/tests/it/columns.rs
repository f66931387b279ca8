//! Files written by `pyarrow`, `polars` and `DuckDB` contain the same calls as their source.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use rightcall_formats::{Input, Inspection, Limits, ReadOptions};

use super::calls_of;

/// The files written by the example's script.
///
/// # Errors
/// The packages cannot be installed, or the script fails.
fn written() -> Result<PathBuf, String> {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/columns");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("columns");
    let (environment, output) = (folder.join("environment"), folder.join("files"));
    let (python, requirements) = (
        environment.join("bin/python"),
        example.join("requirements.txt"),
    );
    let told = |error: io::Error| error.to_string();
    fs::create_dir_all(&output).map_err(told)?;
    let run = |command: &mut Command| match command.output().map_err(told)? {
        output if output.status.success() => Ok(()),
        output => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
    };
    let pins = fs::read(&requirements).map_err(told)?;
    if fs::read(folder.join("installed")).is_ok_and(|installed| installed == pins) {
        run(Command::new(&python)
            .arg(example.join("write.py"))
            .arg(&output))
        .expect("the script writes its files");
        return Ok(output);
    }
    run(Command::new("python3")
        .args(["-m", "venv", "--clear"])
        .arg(&environment))?;
    let install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--requirement",
    ];
    run(Command::new(&python).args(install).arg(&requirements))?;
    fs::write(folder.join("installed"), pins).map_err(told)?;
    written()
}

#[test]
fn files_of_real_writers_hold_the_calls_that_were_written() {
    let folder = match written() {
        Ok(folder) => folder,
        Err(error) => {
            _ = writeln!(
                io::stderr(),
                "skipped: pyarrow, polars and DuckDB cannot be installed: {error}"
            );
            return;
        }
    };
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert_eq!(files.len(), 22);
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let (options, mut calls) = (ReadOptions::default(), Vec::new());
        let found = Inspection::from_file(&file, Limits::default(), &options, &mut |case, _| {
            let id = case.id.as_ref().map(ToString::to_string);
            let id = id.unwrap_or_default();
            calls.extend(calls_of(case).iter().map(|call| {
                let metadata = call.metadata();
                let error = if metadata.error.is_some() {
                    " failed"
                } else {
                    ""
                };
                let timed = if metadata.start.is_some() {
                    "timed"
                } else {
                    "-"
                };
                format!("{id} {} {timed}{error}", call.name)
            }));
        })
        .unwrap();
        assert!(found.errors.is_empty(), "{name}: {:?}", found.errors);
        if name.contains("span") {
            assert_eq!(found.format.unwrap().name, "flat-spans", "{name}");
            assert_eq!(
                calls,
                [
                    "a find_order timed",
                    "a refund timed",
                    "b find_order timed",
                    "b refund timed failed"
                ],
                "{name}"
            );
        } else {
            assert_eq!(found.format.unwrap().name, "cases", "{name}");
            assert_eq!(
                calls,
                [
                    "order-7 find_order -",
                    "order-7 refund -",
                    "order-8 find_order -"
                ],
                "{name}"
            );
            let mut input = Input::open(&file, Limits::default(), &ReadOptions::default()).unwrap();
            let block = input.next_block(1 << 20).unwrap().unwrap();
            let first = block.records().next().unwrap().content.unwrap();
            let first = first.text().unwrap();
            for part in [r#""tags":["refund"]"#, r#""trial":1"#, r#""region":"eu""#] {
                assert!(first.contains(part), "{name}: {first}");
            }
        }
    }
}
