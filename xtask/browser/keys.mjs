// Uses everything with the keyboard alone.

import assert from "node:assert/strict";
import { site, test } from "./tester.mjs";

await test("everything can be reached by keys", async (page) => {
  await page.goto(`${site}/runs/1`);
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.name), "q");
  await page.keyboard.type("case-00");
  await page.keyboard.press("Enter");
  await page.waitForURL(/q=case-00/);
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  await page.keyboard.press("j");
  const label = await page.evaluate(() => document.activeElement.innerText);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/cases\//);
  assert.equal(await page.locator("h1").innerText(), label);
  // While a page loads, it has no heading yet.
  await page.keyboard.press("n");
  await page.waitForFunction((before) => ![undefined, before].includes(document.querySelector("h1")?.innerText), label);
  await page.keyboard.press("p");
  await page.waitForFunction((before) => document.querySelector("h1")?.innerText === before, label);
  await page.keyboard.press("u");
  await page.waitForURL(/runs\/1\?q=case-00/);
  await page.keyboard.press("?");
  assert.ok(await page.locator("#help").isVisible());
  await page.keyboard.press("Escape");
  assert.ok(!(await page.locator("#help").isVisible()));
});

await test("two runs are picked and compared by keys", async (page) => {
  await page.goto(site);
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  assert.ok(await page.locator("[data-rows] input").first().isChecked());
  // The last two rows are runs 2 and 1.
  for (let row = 1; row < 11; row += 1) await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  for (let row = 11; row > 0; row -= 1) await page.keyboard.press("k");
  await page.keyboard.press("x");
  await page.keyboard.press("c");
  await page.waitForURL(/\/compare\?run=2&run=1/);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.locator(".three .row").first().waitFor();
  await page.keyboard.press("u");
  await page.waitForFunction(() => !document.querySelector(".three"));
  await page.goto(site);
  await page.getByLabel("compare run 1", { exact: true }).check();
  await page.getByLabel("compare run 2", { exact: true }).check();
  await page.locator("body").click({ position: { x: 2, y: 2 } });
  await page.keyboard.press("c");
  await page.waitForURL(/\/compare\?run=2&run=1/);
  await page.locator(".better").first().waitFor();
});
