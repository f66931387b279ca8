//! The npm package: builds and packs it, installs it into empty projects, and tests it there as
//! users would.
//!
//! Each project under `bindings/node/tests/projects` is a generation of Node, the AI SDK and
//! vitest, at the versions of its lock file. Everything is installed in `target/node`. If a project
//! cannot be installed, this is reported and its tests are skipped. The package is also tested in a
//! project without other packages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rightcall_formats::{FORMATS, Format};
use serde_json::{Value, json};

use crate::count::{Count, PeerScope};
use crate::files::{copy, copy_folder, empty_folder, entries, make_folder, read, read_json, write};
use crate::install::{QUIET, install_tarball, npm, npm_packages, pack};
use crate::process::{failure, output, project_root, succeed};
use crate::{node_peers, say, vitest};

/// The project of the package's own tests, and its Node.
const OURS: (&str, &str) = ("node20", "node");

/// A later generation, with its own Node.
const LATER_NODE: (&str, &str) = ("node22", "node_modules/node/bin/node");

/// Tests the package in all projects.
pub(crate) fn test(count: &mut Count, company: PeerScope) -> Result<(), String> {
    let root = project_root()?;
    let (package, home) = (root.join("bindings/node"), root.join("target/node"));
    if let Err(error) = succeed(Command::new("npm").arg("--version")) {
        say(&format!("not tested: there is no npm ({error})"));
        return Ok(());
    }
    make_folder(&home)?;
    let tarball = match pack(&package, &home) {
        Ok(tarball) => tarball,
        Err(error) => {
            count.check("the package", Err(error));
            return Ok(());
        }
    };
    count.check(
        "the documentation of the exports",
        check_documentation(&package),
    );
    let project = home.join("empty");
    let result = empty_project(&project, &[&tarball]).and_then(|()| use_project(&root, &project));
    count.check("the package in an empty project", result);
    count.check("what is published", check_published(&root, &home));
    let mut projects = vec![OURS];
    let mut promptfoo = None;
    if company == PeerScope::Everybody {
        projects.push(LATER_NODE);
        let folder = home.join("promptfoo");
        // Its optional dependencies are two gigabytes of models and browsers.
        let flags = ["--omit=optional", "--ignore-scripts"];
        match npm_packages(&package.join("tests/projects/promptfoo"), &folder, &flags) {
            Ok(()) => promptfoo = Some(folder),
            Err(error) => say(&format!("not tested with promptfoo: {error}")),
        }
        match node_peers::test(&package, &home, &tarball) {
            Ok(counts) => count.add(counts),
            Err(error) => say(&format!(
                "not tested beside the published packages: {error}"
            )),
        }
    }
    for (project, node) in projects {
        say(&format!("-- {project}"));
        let folder = home.join(project);
        let pins = package.join("tests/projects").join(project);
        if let Err(error) = npm_packages(&pins, &folder, &[]) {
            say(&format!(
                "not tested: the packages of {project} could not be installed: {error}"
            ));
            continue;
        }
        let mut environment = vec![
            ("RIGHTCALL_ROOT", root.clone()),
            ("RIGHTCALL_PANICS", home.join("panics")),
        ];
        // promptfoo requires Node 22.
        let promptfoo = promptfoo.iter().filter(|_| project == LATER_NODE.0);
        environment.extend(promptfoo.map(|folder| ("RIGHTCALL_PROMPTFOO", folder.clone())));
        let tests = Tests {
            root: &root,
            folder: &folder,
            // A program on the `PATH` is a plain name.
            node: &if node.contains('/') {
                folder.join(node)
            } else {
                node.into()
            },
            environment,
        };
        let counted = tests.run(&tarball, count);
        count.check_all(project, counted);
    }
    Ok(())
}

/// Builds the package in place, with the release profile.
pub(crate) fn build_released(root: &Path) -> Result<(), String> {
    let package = root.join("bindings/node");
    npm_packages(&package, &package, &["--ignore-scripts"])?;
    npm(&package, &["run", "build"])
}

/// Packs the published packages: the main package without an addon, and the package of this
/// platform. True on success.
pub(crate) fn release_into(root: &Path, folder: &Path) -> Result<bool, String> {
    build_released(root)?;
    let package = root.join("bindings/node");
    npm(&package, &["run", "platform-package"])?;
    let destination = folder.to_string_lossy();
    let published = published(&package)?;
    for package in &published {
        npm(package, &["pack", "--pack-destination", &destination])?;
    }
    say("target/dist has the packages");
    Ok(true)
}

/// The folders of the published packages: the main package, and the one for the only platform that was built.
fn published(package: &Path) -> Result<[PathBuf; 2], String> {
    let built = package.join("npm");
    let is_main = |folder: &PathBuf| folder.ends_with("main");
    let (main, platforms): (Vec<_>, Vec<_>) = entries(&built)?.into_iter().partition(is_main);
    match (&main[..], &platforms[..]) {
        ([main], [platform]) => Ok([main.clone(), platform.clone()]),
        _ => Err(format!(
            "{}: expected `main` and the package of one platform",
            built.display()
        )),
    }
}

/// Checks that every export and every member has a comment, and that the links in it resolve.
fn check_documentation(package: &Path) -> Result<(), String> {
    let document = ["node_modules/typedoc/bin/typedoc", "--emit", "none"];
    succeed(Command::new("node").args(document).current_dir(package))
}

/// Programs for both kinds of modules, with their output.
const PROGRAMS: [(&str, &str); 2] = [
    ("module", include_str!("node/program.mjs")),
    ("commonjs", include_str!("node/program.cjs")),
];

/// Installs the package into an empty project.
fn empty_project(folder: &Path, tarballs: &[&Path]) -> Result<(), String> {
    empty_folder(folder)?;
    write(&folder.join("package.json"), "{\"private\": true}\n")?;
    write(&folder.join("types.mts"), include_str!("node/types.mts"))?;
    let mut install = Command::new("npm");
    install.args(["install", "--omit=optional"]).args(tarballs);
    succeed(install.args(QUIET).current_dir(folder))
}

/// Uses the package in every way that requires no other package.
fn use_project(root: &Path, folder: &Path) -> Result<(), String> {
    let suite = root.join("examples/support-agent/suite.yaml");
    let mut command = Command::new("npx");
    command
        .args(["--no-install", "rightcall", "run"])
        .arg(suite)
        .arg("--no-history")
        .current_dir(folder);
    let ran = output(&mut command)?;
    if !ran.status.success() || !String::from_utf8_lossy(&ran.stdout).contains("3 of 3 gates hold")
    {
        return Err(failure(&command, &ran));
    }
    for (kind, program) in PROGRAMS {
        let mut command = Command::new("node");
        command
            .arg(format!("--input-type={kind}"))
            .args(["-e", program])
            .current_dir(folder);
        let ran = output(&mut command)?;
        if ran.stdout != b"1 1\n" {
            let (output, failure) = (
                String::from_utf8_lossy(&ran.stdout),
                failure(&command, &ran),
            );
            return Err(format!("{kind}: {output}\n{failure}"));
        }
    }
    let compiler = root.join("bindings/node/node_modules/typescript/bin/tsc");
    let mut compile = Command::new("node");
    compile
        .arg(compiler)
        .args("--noEmit --strict --target es2022 --module nodenext types.mts".split(' '));
    let compiled = output(compile.current_dir(folder))?;
    if compiled.status.success() {
        return Ok(());
    }
    let output = String::from_utf8_lossy(&compiled.stdout);
    Err(format!("types.mts does not compile:\n{output}"))
}

/// Checks the published packages: the main package finds the addon in the platform's package, and both contain their licences.
fn check_published(root: &Path, home: &Path) -> Result<(), String> {
    let package = root.join("bindings/node");
    let build = ["build.mjs", "--features", "workspace-hack", "--package"];
    succeed(Command::new("node").args(build).current_dir(&package))?;
    let published = published(&package)?;
    let home = home.join("published");
    make_folder(&home)?;
    let destination = home.to_string_lossy();
    let mut tarballs = Vec::new();
    for folder in &published {
        npm(folder, &["pack", "--pack-destination", &destination])?;
        let manifest: Value = read_json(&folder.join("package.json"))?;
        let name = manifest["name"].as_str().unwrap_or_default();
        tarballs.push((
            name.to_owned(),
            home.join(format!("{name}-{}.tgz", env!("CARGO_PKG_VERSION"))),
        ));
    }
    let folder = home.join("project");
    let files: Vec<&Path> = tarballs.iter().map(|(_, file)| file.as_path()).collect();
    empty_project(&folder, &files)?;
    for (name, _) in &tarballs {
        let installed = folder.join("node_modules").join(name);
        if !installed.join("LICENSE-MIT").exists() || installed.join("native").exists() {
            return Err(format!(
                "{}: expected its licences, and no addon beside that of the platform",
                installed.display()
            ));
        }
    }
    use_project(root, &folder)
}

struct Tests<'t> {
    root: &'t Path,
    folder: &'t Path,
    node: &'t Path,
    environment: Vec<(&'static str, PathBuf)>,
}

impl Tests<'_> {
    /// Installs the package, compiles the tests against its declarations, runs them, and counts.
    fn run(&self, tarball: &Path, count: &mut Count) -> Result<(usize, usize), String> {
        install_tarball(self.folder, tarball)?;
        let sources = self.folder.join("src");
        _ = fs::remove_dir_all(&sources);
        let tests = self.root.join("bindings/node/tests");
        copy_folder(&tests.join("src"), &sources)?;
        for file in ["tsconfig.json", "vitest.config.ts"] {
            copy(&tests.join(file), &self.folder.join(file))?;
        }
        self.write_examples(&sources)?;
        write(&sources.join("formats.json"), formats())?;
        let mut compile = Command::new(self.node);
        compile.arg("node_modules/typescript/bin/tsc");
        let compiled = output(compile.current_dir(self.folder))?;
        if !compiled.status.success() {
            say(&String::from_utf8_lossy(&compiled.stdout));
        }
        count.note(compiled.status.success());
        let mut node = Command::new(self.node);
        node.envs(self.environment.iter().cloned());
        vitest::counted(&mut node, self.folder, &[])
    }

    /// Writes the examples of the pages and the README to files: tests for vitest, evaluations for Evalite, and programs.
    fn write_examples(&self, sources: &Path) -> Result<(), String> {
        let pages = ["docs/node.md", "docs/drop-ins.md", "README.md"].map(|it| self.root.join(it));
        let pages = pages
            .iter()
            .map(|it| read(it))
            .collect::<Result<String, _>>()?;
        let blocks = pages
            .split("```ts\n")
            .skip(1)
            .filter_map(|rest| rest.split("```").next());
        for (number, block) in blocks.enumerate() {
            let kind = match block {
                _ if block.contains("from \"vitest\"") => "test.ts",
                _ if !block.contains("from \"evalite\"") => "ts",
                _ if self.folder.join("node_modules/evalite").exists() => "eval.ts",
                _ => continue,
            };
            let file = sources.join(format!("example-{number}.{kind}"));
            write(&file, block)?;
        }
        Ok(())
    }
}

/// The examples of all formats, for the tests that read them.
fn formats() -> String {
    let format = |it: &Format| {
        json!({
            "name": it.name,
            "file": format!("{}.{}", it.name, it.extensions.first().unwrap_or(&"json")),
            "example": it.example.trim_end(),
            "holdsCases": !it.holds_traces(),
        })
    };
    let formats: Value = FORMATS.iter().map(|it| format(it)).collect();
    formats.to_string()
}
