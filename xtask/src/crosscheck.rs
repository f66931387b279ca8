//! Compares the published packages with the command: every evaluator of `xtask/crosscheck/evaluators.jsonl` on every case, by
//! `xtask/crosscheck/crosscheck.py`. The packages are installed in `.peers` at pinned versions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::count::Count;
use crate::peers::{NPM_PINS, PACKAGES, node, pins_folder, python};
use crate::process::{built, counted, printed, project_root};
use crate::python::install_beside;
use crate::{alignments, node_peers, say};

/// Options of `cargo xtask crosscheck`.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Files of cases, instead of the examples
    #[arg(long)]
    pairs: Vec<PathBuf>,
    /// Compares the drop-ins with the packages, in Python and npm, on values that JSON cannot hold
    #[arg(long, conflicts_with = "pairs")]
    values: bool,
    /// Compares costs of expectations in blocks with pm4py and `process_mining`
    #[arg(long, conflicts_with = "pairs")]
    alignments: bool,
    /// Loads the output of `convert` with `DeepEval` and promptfoo
    #[arg(long, conflicts_with = "pairs")]
    written: bool,
}

/// A program that runs several packages.
pub(crate) struct Driver {
    /// The program, its script, and the script's arguments before a file of cases.
    pub(crate) command: Vec<PathBuf>,
    /// The prefixes of the evaluators' names.
    pub(crate) systems: Vec<&'static str>,
}

impl Driver {
    /// A driver for the packages in an environment: an interpreter, or the folder of `node_modules`
    /// of npm packages.
    pub(crate) fn new(root: &Path, pins: &str, place: PathBuf, systems: Vec<&'static str>) -> Self {
        let script = |name: &str| pins_folder(root).join(name);
        let command = match pins {
            NPM_PINS => vec!["node".into(), script("peers.mjs"), place],
            "requirements.txt" | "alone.txt" => vec![place, script("peers.py")],
            _ => vec![place, script("more_peers.py")],
        };
        Self { command, systems }
    }
}

/// The Python packages that `hostile.py` compares with our drop-ins, by their pins.
const HOSTILE: [(&str, &str); 3] = [
    ("peers_tests.txt", "uipath agentevals deepeval"),
    ("ragas.txt", "ragas ragas-collections"),
    ("adk.txt", "adk"),
];

/// Runs the requested comparisons; true if nothing differs.
pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let root = project_root()?;
    let mut count = Count::default();
    if options.values {
        for (pins, peers) in HOSTILE {
            let interpreter = python(&root, pins)?.python;
            install_beside(&interpreter, "dev")?;
            for peer in peers.split(' ') {
                let mut hostile = Command::new(&interpreter);
                hostile.arg(pins_folder(&root).join("hostile.py"));
                count.add(counted(hostile.args([peer, "1000"]))?);
            }
        }
        count.add(node_peers::crosscheck(&root)?);
        return Ok(count.close());
    } else if options.alignments {
        count.add(alignments::check(&root)?);
        return Ok(count.close());
    } else if options.written {
        return check_written_examples(&root);
    }
    let mut systems: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for (system, pins) in PACKAGES.iter().filter_map(|package| package.crosscheck) {
        let pins = if pins == "alone.txt" {
            "requirements.txt"
        } else {
            pins
        };
        systems.entry(pins).or_default().push(system);
    }
    let mut drivers = Vec::new();
    for (pins, systems) in systems {
        let place = match pins {
            NPM_PINS => node(&root)?,
            pins => python(&root, pins)?.python,
        };
        drivers.push(Driver::new(&root, pins, place, systems));
    }
    count.add(check(
        &root,
        &root.join(".peers"),
        &drivers,
        &options.pairs,
    )?);
    Ok(count.close())
}

/// Compares the evaluators of packages on all files, or on the examples, and prints the agreement.
/// The packages run in `home`: they leave caches there and read settings.
pub(crate) fn check(
    root: &Path,
    home: &Path,
    drivers: &[Driver],
    pairs: &[PathBuf],
) -> Result<(usize, usize), String> {
    let example = [root.join("examples/support-agent/cases.jsonl")];
    let pairs = if pairs.is_empty() { &example } else { pairs };
    let drivers = drivers
        .iter()
        .map(|it| json!({"command": it.command, "systems": it.systems}));
    let drivers = drivers.collect::<serde_json::Value>().to_string();
    let rightcall = built(root)?;
    let mut count = Count::default();
    for file in pairs {
        let file = file
            .canonicalize()
            .map_err(|error| format!("{}: {error}", file.display()))?;
        let mut compare = Command::new("python3");
        compare.arg(pins_folder(root).join("crosscheck.py"));
        compare.args([&rightcall, &file]).arg(&drivers);
        count.add(counted(compare.current_dir(home))?);
    }
    Ok((count.passed, count.failed))
}

/// Loads the examples of `rightcall convert` with the packages that they are for; true if the
/// packages read the same calls.
fn check_written_examples(root: &Path) -> Result<bool, String> {
    let scripts = pins_folder(root);
    let examples = root.join("crates/rightcall-formats/tests/written");
    let mut python = Command::new(python(root, "requirements.txt")?.python);
    python.arg(scripts.join("written.py")).arg(&examples);
    let mut node_ = Command::new("node");
    node_.arg(scripts.join("written.mjs"));
    node_.arg(node(root)?).arg(&examples);
    for command in [&mut python, &mut node_] {
        // promptfoo prints log lines first.
        let output = printed(command.current_dir(root.join(".peers")))?;
        say(output.lines().last().unwrap_or_default());
    }
    Ok(true)
}
