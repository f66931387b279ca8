//! What the README shows is what a reader gets.

use std::path::Path;
use std::process::Command;

/// Each `$ rightcall …` of a console block, and the output printed below it.
fn commands(markdown: &str) -> Vec<(String, String)> {
    let blocks = markdown.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    let runs = blocks.flat_map(|block| block.split("$ rightcall ").skip(1));
    runs.filter_map(|run| run.split_once('\n'))
        .map(|(command, output)| (command.to_owned(), output.trim_end().to_owned()))
        .collect()
}

#[test]
fn the_commands_of_the_readme_print_what_it_shows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let place = tempfile::tempdir().unwrap();
    // A run remembers its failures in its folder, which should not be the project's.
    std::os::unix::fs::symlink(root.join("examples"), place.path().join("examples")).unwrap();
    let commands = commands(&readme);
    assert!(commands.len() >= 3, "{commands:?}");
    for (command, shown) in commands {
        let output = Command::new("sh")
            .args(["-c", &format!("\"$RIGHTCALL\" {command}")])
            .env("RIGHTCALL", env!("CARGO_BIN_EXE_rightcall"))
            .current_dir(place.path())
            .output()
            .unwrap();
        let mut found = String::from_utf8(output.stdout).unwrap();
        found.push_str(&String::from_utf8_lossy(&output.stderr));
        assert_eq!(found.trim_end(), shown, "rightcall {command}");
    }
}
