// Builds the addon with cargo and puts it where the loader looks: native/rightcall.PLATFORM.node.
//
// usage: node build.mjs [--release] [--features NAME] [--output DIRECTORY] [--package]
//
// --package makes what is published: of the addon a package of its own in npm/PLATFORM, and in npm/main the package without an addon,
// which names those of all platforms among its optional dependencies: nobody who installs it needs a compiler. Plain cargo, because the command line of napi builds for a named target, in a
// folder of its own, where nothing that the rest of the workspace has compiled counts.
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createRequire } from "node:module";

const { values } = parseArgs({
  options: {
    release: { type: "boolean", default: false },
    features: { type: "string" },
    output: { type: "string" },
    package: { type: "boolean", default: false },
  },
});
const here = path.dirname(fileURLToPath(import.meta.url));
const { platform } = createRequire(import.meta.url)("./platform.cjs");

const cargo = ["build", "--quiet", "--package", "rightcall-node", "--message-format", "json-render-diagnostics"];
if (values.release) cargo.push("--profile", "dist");
if (values.features) cargo.push("--features", values.features);
const messages = execFileSync(process.env.CARGO ?? "cargo", cargo, { cwd: here, encoding: "utf8", maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "inherit"] });
const built = messages.split("\n").filter(Boolean).map((line) => JSON.parse(line));
const library = built.findLast((it) => it.reason === "compiler-artifact" && it.target.name === "rightcall_node");

const name = `rightcall.${platform()}.node`;
const output = path.resolve(here, values.output ?? "native");
put(library.filenames.find((file) => /\.(so|dylib|dll)$/.test(file)), path.join(output, name));

// Those of the workspace stand beside each package.
const LICENSES = ["LICENSE-APACHE", "LICENSE-MIT"];
for (const file of LICENSES) copyFileSync(path.join(here, "../..", file), path.join(here, file));

/** The platforms that the release workflow builds for. */
const PLATFORMS = ["linux-x64-gnu", "linux-arm64-gnu", "darwin-arm64", "darwin-x64", "win32-x64-msvc"];

if (values.package) {
  const whole = JSON.parse(readFileSync(path.join(here, "package.json"), "utf8"));
  const { version, license, engines } = whole;
  const [os, cpu, libc] = platform().split("-");
  const folder = packageFolder(platform(), {
    name: `rightcall-${platform()}`,
    version,
    description: `The addon of rightcall for ${platform()}.`,
    license,
    engines,
    os: [os],
    cpu: [cpu],
    ...(os === "linux" && { libc: [libc === "musl" ? "musl" : "glibc"] }),
    main: name,
    files: [name, ...LICENSES],
  });
  put(path.join(output, name), path.join(folder, name));

  const { scripts, devDependencies, ...published } = whole;
  const files = whole.files.filter((file) => file !== "native");
  const optionalDependencies = Object.fromEntries(PLATFORMS.map((it) => [`rightcall-${it}`, version]));
  const main = packageFolder("main", { ...published, files, optionalDependencies });
  // The engine for browsers is there where it was built.
  for (const file of files.filter((file) => existsSync(path.join(here, file)))) cpSync(path.join(here, file), path.join(main, file), { recursive: true });
}

/** An empty folder for a package, with its licences. */
function packageFolder(name, manifest) {
  const folder = path.join(here, "npm", name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const file of LICENSES) copyFileSync(path.join(here, file), path.join(folder, file));
  return folder;
}

// A running process may have the old file mapped: it keeps it, since the new one is another file.
function put(from, to) {
  mkdirSync(path.dirname(to), { recursive: true });
  copyFileSync(from, `${to}.new`);
  renameSync(`${to}.new`, to);
}
