//! `docs/peers-tests.md`: the table of what came out.

use super::peers::{Exception, PEERS, Peer};
use super::recorded::Recorded;
use super::recorded_peers::RECORDED;

/// The page, in Markdown.
pub(crate) fn page() -> String {
    let row = |peer: &Peer| {
        let (passed, tests) = peer.passed;
        format!(
            "| {} | {} | `{}` | {passed} of {tests} |\n",
            peer.package,
            peer.source.version(),
            peer.module
        )
    };
    let rows: String = PEERS.iter().map(row).collect();
    let exceptions = PEERS
        .iter()
        .map(|peer| exceptions(peer.package, peer.exceptions));
    let exceptions: String = exceptions.collect();
    let recorded: String = RECORDED.iter().map(recorded).collect();
    let differences = RECORDED
        .iter()
        .map(|peer| self::exceptions(peer.package, peer.exceptions));
    let differences: String = differences.collect();
    format!(
        "{HEAD}{rows}{EXCEPTIONS}{exceptions}{RECORDINGS}{recorded}{DIFFERENCES}{differences}{NO_TESTS}"
    )
}

fn exceptions(package: &str, exceptions: &[Exception]) -> String {
    let row = |it: &Exception| format!("| {package} | `{}…` | {} |\n", it.test, it.reason);
    exceptions.iter().map(row).collect()
}

fn recorded(peer: &Recorded) -> String {
    let (package, version, tally) = (peer.package, peer.source.version(), peer.tally);
    let (tests, calls, same) = (tally.tests, tally.calls, tally.same);
    let (different, rest) = (tally.explained, tally.not_comparable);
    format!("| {package} | {version} | {tests} | {calls} | {same} | {different} | {rest} |\n")
}

const HEAD: &str = "# The packages' own tests

Change the import, keep your numbers: so say the drop-in modules of the [Python](python.md) package and of [npm](node.md). The packages'
own tests of their tool call metrics hold them to it. Nothing in these tests is changed but the imports: names that the drop-in module
has come from there, all others from the package as before.

```
cargo xtask peers-tests all
```

runs the tests in a copy under `target`, once as they are and once with the imports changed, and names those that fail. Where a package has them in
its source distribution, pip brings them; for the others it says which commands clone what they are in, or clones it with `--clone`.
`cargo xtask peers-tests PEER DIR` runs those of any other checkout `DIR`. A test that fails with the package itself says nothing of
ours; any other that fails has its reason below. Packages for which there is no drop-in follow [further down](#metrics-without-a-drop-in).

| package | its tests of version | imports from | passed |
| --- | --- | --- | --- |
";

const EXCEPTIONS: &str = "
## Tests that fail

| package | test | why |
| --- | --- | --- |
";

const RECORDINGS: &str = "
## Metrics without a drop-in

The same command runs the own tests of these packages as they are, and writes down each call of a metric that they make: what it was given,
and what it returned. Each call is then judged here as a [golden case](testing.md#golden-cases) is, in the package's own shape and as a line
of a case file; the whole result has to be the same, and of a metric that is [settings](metrics.md#computed-with-settings) the score. How a
package reads calls from spans and messages is its own: what it read is what is judged. A call cannot be compared where a model judges, where
no settings are said to give the metric, or where the package was given nothing to read; `cargo xtask peers-tests PEER` says which and why.

| package | its tests of version | tests | calls | the same | different | not comparable |
| --- | --- | ---: | ---: | ---: | ---: | ---: |
";

const DIFFERENCES: &str = "
| package | test | why it differs |
| --- | --- | --- |
";

const NO_TESTS: &str = "
Where nothing could be run: BFCL's checker, Evalite's `toolCallAccuracy` and tpmjs' score have no tests; those of agentevals' graphs in Python ask a
model; the tests of Vertex AI's SDK put made-up answers in place of its service, which computes the metrics.
";
