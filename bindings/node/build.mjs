// Builds the addon with cargo and puts it where the loader looks: native/rightcall.PLATFORM.node.
//
// usage: node build.mjs [--release] [--features NAME] [--output DIRECTORY] [--package]
//
// --package makes of it a package of its own in npm/PLATFORM, which the main package can name among its optional dependencies:
// then nobody who installs it needs a compiler. Plain cargo, because the command line of napi builds for a named target, in a
// folder of its own, where nothing that the rest of the workspace has compiled counts.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
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

if (values.package) {
  const folder = path.join(here, "npm", platform());
  const { version, license, engines } = JSON.parse(readFileSync(path.join(here, "package.json"), "utf8"));
  const [os, cpu, libc] = platform().split("-");
  const manifest = {
    name: `rightcall-${platform()}`,
    version,
    description: `The addon of rightcall for ${platform()}.`,
    license,
    engines,
    os: [os],
    cpu: [cpu],
    ...(os === "linux" && { libc: [libc === "musl" ? "musl" : "glibc"] }),
    main: name,
    files: [name],
  };
  put(path.join(output, name), path.join(folder, name));
  writeFileSync(path.join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

// A running process may have the old file mapped: it keeps it, since the new one is another file.
function put(from, to) {
  mkdirSync(path.dirname(to), { recursive: true });
  copyFileSync(from, `${to}.new`);
  renameSync(`${to}.new`, to);
}
