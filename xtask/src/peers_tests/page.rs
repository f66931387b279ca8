//! `docs/peers-tests.md`: the table of what came out.

use super::peers::{PEERS, Peer};

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
    let exceptions: String = PEERS
        .iter()
        .flat_map(|peer| {
            peer.exceptions.iter().map(move |exception| {
                format!(
                    "| {} | `{}…` | {} |\n",
                    peer.package, exception.test, exception.reason
                )
            })
        })
        .collect();
    format!("{HEAD}{rows}{EXCEPTIONS}{exceptions}")
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
ours; any other that fails has its reason below.

| package | its tests of version | imports from | passed |
| --- | --- | --- | --- |
";

const EXCEPTIONS: &str = "
## Tests that fail

| package | test | why |
| --- | --- | --- |
";
