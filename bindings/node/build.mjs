// Builds the addon with cargo and copies it to the loader's path: native/rightcall.PLATFORM.node.
//
// usage: node build.mjs [--release] [--features NAME] [--output DIRECTORY] [--package]
//
// --package creates the published packages: one for the addon in npm/PLATFORM, and in npm/main the package without an addon. Its optional
// dependencies are the packages for all platforms, so users need no compiler. This uses plain cargo: the napi command line always builds
// for a named target, in another folder that does not share the workspace's build artifacts.
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

// Each package needs its own copies of the workspace's licences.
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
  // The engine for browsers is included only if it was built.
  for (const file of files.filter((file) => existsSync(path.join(here, file)))) cpSync(path.join(here, file), path.join(main, file), { recursive: true });
}

/** Creates an empty folder for a package, with its licences. */
function packageFolder(name, manifest) {
  const folder = path.join(here, "npm", name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const file of LICENSES) copyFileSync(path.join(here, file), path.join(folder, file));
  return folder;
}

// Replace the file instead of overwriting it: a running process may have the old one mapped.
function put(from, to) {
  mkdirSync(path.dirname(to), { recursive: true });
  copyFileSync(from, `${to}.new`);
  renameSync(`${to}.new`, to);
}
