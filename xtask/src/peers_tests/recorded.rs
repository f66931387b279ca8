//! Packages without drop-in classes here: their own tests run unchanged, and each call of the metric is recorded with its result. The calls
//! are judged here afterwards.
//!
//! A recorded call becomes a golden line like those under `conformance`. It is judged in the original's own format and as a line of a case
//! file. Even if a test fails, the recorded result of the metric is valid.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::peers::{Environment, Peer, Recorded, Recorder, Tally};
use super::{Outcome, Outcomes, Shown, python, vitest};
use crate::conformance::{Agreement, judge};
use crate::count::Count;
use crate::files::{make_folder, read};
use crate::peers::Peers;
use crate::say;

impl Recorded {
    /// Runs the tests, and judges each recorded call.
    pub(super) fn run(
        &self,
        peer: &Peer,
        root: &Path,
        checkout: &Path,
        shown: Shown,
    ) -> Result<Tally, String> {
        let folder = root.join("target/peers-tests");
        make_folder(&folder)?;
        let calls = folder.join(format!("{}.jsonl", peer.name));
        _ = fs::remove_file(&calls);
        let tests = self.record(peer, root, checkout, &calls)?;
        let mut tally = judge_all(peer, &read(&calls)?, shown)?;
        let skipped = |outcome: &&Outcome| **outcome == Outcome::Skipped;
        tally.tests = tests.len() - tests.values().filter(skipped).count();
        Ok(tally)
    }

    fn record(
        &self,
        peer: &Peer,
        root: &Path,
        checkout: &Path,
        calls: &Path,
    ) -> Result<Outcomes, String> {
        let peers = Peers::prepare(root)?;
        let scripts = root.join("xtask/peers_tests");
        match &self.recorder {
            Recorder::Pytest {
                environment,
                arguments,
            } => {
                let venv = match environment {
                    Environment::Peers => &peers.python,
                    Environment::More => {
                        let more = &peers.more_python;
                        more.add(&scripts.join("recorded.txt"), &["--no-deps"])?;
                        more
                    }
                };
                let mut command = Command::new(&venv.python);
                command
                    .arg(scripts.join("record.py"))
                    .arg(calls)
                    .arg(peer.name)
                    .args(*arguments)
                    .current_dir(checkout);
                python::outcomes(&mut command)
            }
            Recorder::Vitest(files) => {
                vitest::record(&peers.modules, &scripts, checkout, peer.roots, files, calls)
            }
        }
    }

    /// The counts, and the page's counts if they differ.
    pub(super) fn line(&self, peer: &Peer, tally: Tally) -> String {
        let page = if tally == self.tally {
            String::new()
        } else {
            let version = peer.source.version();
            format!(
                "\n{:<18} docs/metrics.md says for {version}: {}",
                "",
                self.tally.told()
            )
        };
        format!("{:<18} {}{page}", peer.name, tally.told())
    }
}

/// Judges each line of recorded calls, prints the differences, and counts.
fn judge_all(peer: &Peer, text: &str, shown: Shown) -> Result<Tally, String> {
    let mut tally = Tally::default();
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for line in text.lines() {
        let call: Value = serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))?;
        let test = call["id"].as_str().unwrap_or_default();
        tally.calls += 1;
        if let Some(reason) = call["not_comparable"].as_str() {
            tally.not_comparable += 1;
            *reasons.entry(reason.to_owned()).or_default() += 1;
            continue;
        }
        match judge(line) {
            Ok(agreement) => {
                tally.same += 1;
                if shown == Shown::Every {
                    let decided = match agreement {
                        Agreement::Decided => ", as a case file by a decision otherwise",
                        Agreement::Same | Agreement::NoCase => "",
                    };
                    say(&format!("same     {test}{decided}"));
                }
            }
            Err(differences) => {
                let known = peer.reason(test);
                *match known {
                    Some(_) => &mut tally.explained,
                    None => &mut tally.different,
                } += 1;
                let reason = known.unwrap_or("?");
                say(&format!("differs  {}: {reason}", differences.join("; ")));
            }
        }
    }
    for (reason, count) in reasons {
        say(&format!("not comparable, {count}: {reason}"));
    }
    Ok(tally)
}

impl Tally {
    fn told(self) -> String {
        format!(
            "{} tests, {} calls: {} the same, {} different with a known reason, {} without, {} not comparable",
            self.tests, self.calls, self.same, self.explained, self.different, self.not_comparable
        )
    }

    pub(super) fn count(self, count: &mut Count) {
        // If no call could be compared, the tests prove nothing, so count that as a failure.
        let nothing = usize::from(self.same == 0);
        count.add((self.same, self.different + nothing));
    }
}

#[cfg(test)]
mod tests {
    use super::super::checkout::Source;
    use super::super::peers::{Exception, Tests};
    use super::*;

    const LINE: &str =
        r#""system":"strands","evaluator":"exact-match","expected":["a"],"actual":["a"]"#;

    fn tally(lines: &[String]) -> Tally {
        let peer = Peer {
            name: "tiny",
            package: "tiny",
            source: Source::Distribution {
                name: "tiny",
                version: "1",
            },
            roots: &[],
            tests: Tests::Calls(Recorded {
                recorder: Recorder::Vitest(&[]),
                tally: Tally::default(),
            }),
            exceptions: &[Exception {
                test: "known",
                reason: "it is so",
            }],
        };
        judge_all(&peer, &lines.join("\n"), Shown::Failures).unwrap()
    }

    #[test]
    fn a_call_is_the_same_different_or_not_comparable() {
        let tally = tally(&[
            format!(r#"{{"id":"t::same",{LINE},"result":{{"score":1.0}}}}"#),
            format!(r#"{{"id":"t::other",{LINE},"result":{{"score":0.5}}}}"#),
            format!(r#"{{"id":"t::known",{LINE},"result":{{"score":0.5}}}}"#),
            r#"{"id":"t::judged","not_comparable":"a model judges"}"#.to_owned(),
        ]);
        let counts = (tally.calls, tally.same, tally.different, tally.explained);
        assert_eq!(counts, (4, 1, 1, 1));
        assert_eq!(tally.not_comparable, 1);
    }

    #[test]
    fn an_error_of_the_package_that_is_a_score_here_is_a_difference() {
        let tally = tally(&[format!(r#"{{"id":"t::raises",{LINE}}}"#)]);
        assert_eq!((tally.same, tally.different), (0, 1));
    }

    #[test]
    fn tests_without_a_call_that_can_be_compared_are_a_failure() {
        let mut count = Count::default();
        tally(&[]).count(&mut count);
        assert_eq!((count.passed, count.failed), (0, 1));
    }
}
