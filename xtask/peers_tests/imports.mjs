// Changes the imports of a package's own tests, and nothing else.
//
// usage: node imports.mjs MODULES FOLDER OURS
//
// OURS is a drop-in module that is installed below MODULES. In each test file below FOLDER, names that OURS exports and that are imported
// by a relative path are imported from OURS instead. Other names, including types, still come from the package.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [modules, folder, ours] = process.argv.slice(2);
const offered = new Set(Object.keys(createRequire(path.join(path.resolve(modules), "package.json"))(ours)));

function changed(whole, list, from) {
  const names = list.split(",").map((name) => name.trim()).filter(Boolean);
  const isOurs = (name) => offered.has(name.split(" as ")[0]);
  const [taken, left] = [names.filter(isOurs), names.filter((name) => !isOurs(name))];
  if (taken.length === 0) return whole;
  const written = (some, module) => (some.length > 0 ? [`import { ${some.join(", ")} } from "${module}";`] : []);
  return [...written(taken, ours), ...written(left, from)].join("\n");
}

let files = 0;
for (const file of readdirSync(folder, { recursive: true }).filter((file) => file.endsWith(".test.ts"))) {
  const name = path.join(folder, file);
  const text = readFileSync(name, "utf8");
  const changes = text.replace(/import \{([^}]*)\} from "(\.[^"]*)";/g, changed);
  if (changes !== text) files += 1;
  writeFileSync(name, changes);
}
if (files === 0) throw new Error(`no test below ${folder} imports what ${ours} has`);
