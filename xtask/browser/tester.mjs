// Shared by all tests: the viewer, a browser page for each test, and checks for every page.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { launch } from "./chromium.mjs";
import { place, rightcall, still } from "./history.mjs";

const [shots, only = ""] = process.argv.slice(4);
const axe = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
fs.mkdirSync(shots, { recursive: true });

const servers = [];
const sites = [];

/// Starts a viewer in a folder. Returns its address.
export async function view(folder, ...options) {
  const server = spawn(rightcall, ["view", "--port", "0", ...options], { cwd: folder, env: still, stdio: ["ignore", "ignore", "pipe"] });
  servers.push(server);
  const found = await new Promise((resolve, reject) => {
    let said = "";
    server.stderr.on("data", (data) => {
      said += data;
      const found = said.match(/http:\/\/[^/\s]+/);
      if (found) resolve(found[0]);
    });
    server.on("exit", () => reject(new Error(said)));
  });
  sites.push(found);
  return found;
}

export const site = await view(place);

const browser = await launch();
let passed = 0;
let failed = 0;

/// Runs a test on a new page. It fails on console errors, dialogs, foreign requests, and scripts that run from hostile text.
export async function test(name, body, colorScheme = "light") {
  if (!name.includes(only)) return;
  const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const troubles = [];
  page.on("console", (message) => message.type() === "error" && !message.text().includes("404 (Not Found)") && troubles.push(message.text()));
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("dialog", (dialog) => { troubles.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    if (!sites.some((it) => request.url().startsWith(it)) && !request.url().startsWith("file:")) troubles.push(`asks for ${request.url()}`);
  });
  try {
    await body(page);
    assert.equal(await page.evaluate(() => window.pwned), undefined, "foreign text ran");
    assert.deepEqual(troubles, []);
    passed += 1;
  } catch (error) {
    failed += 1;
    console.log(`FAIL ${name}: ${error.stack}`);
  } finally {
    await context.close();
  }
}

/// Asserts that axe finds no accessibility violation, including contrast.
export async function accessible(page) {
  const violations = await page.evaluate(async (source) => {
    if (!window.axe) (0, eval)(source);
    const found = await window.axe.run(document, { resultTypes: ["violations"] });
    return found.violations.map((it) => `${it.id}: ${it.nodes.length} x ${it.nodes[0].html.slice(0, 160)} ${it.nodes[0].failureSummary}`);
  }, axe);
  assert.deepEqual(violations, []);
}

/// Asserts that nothing is wider than the screen.
export async function fits(page) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `the page is ${wide} pixels too wide`);
}

/// Performs an action that opens another page, and waits until it has loaded.
export const loads = (page, action) => Promise.all([page.waitForEvent("load"), action()]);

/// Chooses a value of a filter, or types it, and asks for what it leaves.
export async function filter(page, label, value) {
  const field = page.getByLabel(label, { exact: true });
  if (label === "text") await field.fill(value); else await field.selectOption(value);
  await loads(page, () => page.getByRole("button", { name: "Filter" }).click());
}

/// The rows of a list.
export const rows = (page) => page.locator("[data-rows] tbody tr");

/// The number of cases in a list, including its other pages.
export const total = async (page) => Number((await page.locator("#cases ~ nav.paging span, section[aria-labelledby=cases] nav.paging span").last().innerText()).split(" of ")[1]);

/// Takes a screenshot. A busy browser may fail to render at first, so this retries.
export async function screenshot(page, name) {
  for (let left = 5; ; left -= 1) {
    try {
      return await page.screenshot({ path: path.join(shots, `${name}.png`), fullPage: true });
    } catch (error) {
      if (left === 0) throw error;
      await page.waitForTimeout(500);
    }
  }
}

/// Stops everything that was started, and prints the result.
export async function close() {
  await browser.close();
  for (const server of servers) server.kill();
  fs.rmSync(place, { recursive: true, force: true });
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
