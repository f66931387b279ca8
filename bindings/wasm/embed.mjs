// Embeds the engine and its loader in the playground page: a single file that needs no server.
//
// usage: node embed.mjs WASM MODULE PAGE
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const [wasm, module, page] = process.argv.slice(2);
const template = readFileSync(path.join(import.meta.dirname, "playground.html"), "utf8");
const script = readFileSync(module, "utf8").replace(/^export /gm, "");
const filled = template.replace("/* ENGINE */", () => script).replace("/* WASM */", () => readFileSync(wasm).toString("base64"));
writeFileSync(page, filled);
