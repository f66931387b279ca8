// Tests the playground page in a real browser. The page is opened as a file: no server, no network.
//
//   node playground.mjs PATH-OF-THE-PAGE

import assert from "node:assert/strict";
import fs from "node:fs";
import { pathToFileURL } from "node:url";
import { launch } from "./chromium.mjs";

const [page_] = process.argv.slice(2);
const browser = await launch();
const context = await browser.newContext({ offline: true });
const page = await context.newPage();
const errors = [];
page.on("pageerror", (error) => errors.push(String(error)));
page.on("request", (request) => /^(file|data):/.test(request.url()) || errors.push(`asks for ${request.url()}`));
await page.goto(pathToFileURL(page_).href);

const text = () => page.locator("main").innerText();
const titles = () => page.locator("main h2").allInnerTexts();
const fill = async (sides) => {
  for (const [id, value] of Object.entries(sides)) await page.fill(`#${id}`, typeof value === "string" ? value : JSON.stringify(value));
};
const choose = (...ids) => page.selectOption("#evaluators", ids);

const checks = {
  "shows something at once": async () => {
    await page.waitForSelector("main h2");
    assert.deepEqual(await titles(), ["uipath/tool-call-order · 0.500", "trajectory · 0.000"]);
    assert.match(await text(), /\/id: expected 7, found 8/);
    assert.match(await text(), /missed/);
  },
  "offers every evaluator": async () => {
    const ids = await page.locator("#evaluators option").allInnerTexts();
    assert.ok(ids.length >= 15 && ids.includes("evalite/tool-call-accuracy"), String(ids));
  },
  "scores what is pasted, in any shape": async () => {
    const args = { id: 7 };
    await choose("trajectory");
    for (const actual of [
      [{ name: "find", args }],
      [{ role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "find", input: args }] }],
      [{ role: "assistant", parts: [{ type: "tool-find", toolCallId: "c", state: "output-available", input: args, output: 1 }] }],
      { choices: [{ message: { role: "assistant", tool_calls: [{ type: "function", function: { name: "find", arguments: '{"id":7}' } }] } }] },
    ]) {
      await fill({ expected: [{ name: "find", args }], actual });
      assert.deepEqual(await titles(), ["trajectory · 1.000"], JSON.stringify(actual));
    }
  },
  "takes settings, and says what is wrong with them": async () => {
    await choose("evalite/tool-call-accuracy");
    await fill({ expected: [{ name: "a", args: {} }, { name: "b", args: {} }], actual: [{ name: "a", args: {} }], settings: { edition: "package" } });
    assert.deepEqual(await titles(), ["evalite/tool-call-accuracy · 0.500"]);
    await fill({ settings: "{}" });
    assert.deepEqual(await titles(), ["evalite/tool-call-accuracy · 0.375"]);
    await fill({ settings: { moed: "exact" } });
    assert.match(await page.locator("[role=alert]").innerText(), /moed/);
    await fill({ settings: "{}" });
  },
  "makes no score of what it cannot read": async () => {
    await choose("trajectory");
    await fill({ actual: "[{" });
    assert.equal(await page.locator("[role=alert]").count(), 1);
    await fill({ actual: [{ role: "assistant", content: [{ type: "tool_use_v9", tool: { name: "find", arguments: {} } }] }] });
    assert.match(await page.locator("[role=alert]").innerText(), /actual/);
  },
  "takes what is pasted for text": async () => {
    await fill({ expected: [], actual: [{ name: "<img src=x onerror=window.pwned=1>", args: {} }] });
    assert.match(await text(), /<img/);
    assert.equal(await page.evaluate(() => window.pwned), undefined);
  },
  "asks for nothing and raises nothing": async () => assert.deepEqual(errors, []),
};

let [passed, failed] = [0, 0];
for (const [what, check] of Object.entries(checks)) {
  try {
    await check();
    passed += 1;
  } catch (error) {
    failed += 1;
    console.log(`failed: ${what}: ${error.message}`);
  }
}
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
