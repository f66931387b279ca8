//! Builds the engine for WebAssembly and the playground page, a single file that needs no server.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::browser::drive;
use crate::count::{Count, PeerScope};
use crate::files::{copy, make_folder};
use crate::install::{npm_packages, rust_target};
use crate::process::{cargo, project_root, succeed};
use crate::{node, say};

/// The name of the Rust target.
const TARGET: &str = "wasm32-unknown-unknown";

/// Builds the page and tests it in a browser, then tests the npm package, whose tests of the engine are skipped if it was not built; true
/// if all tests pass. If the target cannot be installed, that is reported.
pub(crate) fn test() -> Result<bool, String> {
    let root = project_root()?;
    if let Err(why) = rust_target(TARGET) {
        say(&format!("skipped: {TARGET} cannot be installed: {why}"));
        return Ok(true);
    }
    let page = build(&root)?;
    let mut count = Count::default();
    count.add(drive(&root, "playground.mjs", &[page])?);
    node::test(&mut count, PeerScope::Ours)?;
    Ok(count.close())
}

/// Builds the engine into the npm package, and the page into `target/dist`. Returns the path of the page.
fn build(root: &Path) -> Result<PathBuf, String> {
    let build = format!("build --quiet --profile wasm --package rightcall-wasm --target {TARGET}");
    succeed(cargo().args(build.split(' ')).current_dir(root))?;
    let engine = root.join(format!("target/{TARGET}/wasm/rightcall_wasm.wasm"));
    let package = root.join("bindings/node");
    make_folder(&package.join("wasm"))?;
    copy(&engine, &package.join("wasm/rightcall.wasm"))?;
    npm_packages(&package, &package, &["--ignore-scripts"])?;
    let mut compile = Command::new("node");
    compile.arg("node_modules/typescript/bin/tsc");
    succeed(compile.current_dir(&package))?;
    let page = root.join("target/dist/playground.html");
    make_folder(&root.join("target/dist"))?;
    let mut embed = Command::new("node");
    embed.arg(root.join("bindings/wasm/embed.mjs"));
    succeed(embed.args([&engine, &package.join("dist/wasm.mjs"), &page]))?;
    let size = fs::metadata(&page).map_err(|error| format!("{}: {error}", page.display()))?;
    say(&format!("{}: {} KiB", page.display(), size.len() >> 10));
    Ok(page)
}
