// The cases of a run: filters, order and pages.

import assert from "node:assert/strict";
import { SCRIPT } from "./history.mjs";
import { filter, loads, rows, site, test, total } from "./tester.mjs";

for (const [label, value, count] of [
  ["tag", "odd", 65], ["tool", "cancel", 44], ["outcome", "failed", undefined], ["outcome", "passed", undefined], ["text", "case-01", 10],
]) {
  await test(`cases are filtered by ${label} ${value}`, async (page) => {
    await page.goto(`${site}/runs/1`);
    const all = await total(page);
    await filter(page, label, value);
    const some = await total(page);
    assert.ok(some > 0 && some < all, `${some} of ${all}`);
    if (count !== undefined) assert.equal(some, count);
    const address = page.url();
    await page.goto("about:blank").catch(() => {});
    await page.goto(address);
    assert.equal(await total(page), some, "the address alone gives the same cases");
    await loads(page, () => page.locator(".chips a").first().click());
    assert.equal(await total(page), all);
  });
}

await test("outcomes are asked of one evaluator too", async (page) => {
  await page.goto(`${site}/runs/1?outcome=not-applicable&evaluator=1`);
  assert.equal(await total(page), 1);
  await page.goto(`${site}/runs/1`);
  await page.getByLabel("outcome", { exact: true }).selectOption("passed");
  await filter(page, "evaluator", "0");
  assert.match(page.url(), /outcome=passed&evaluator=0/);
  assert.equal(await total(page), 70);
});

await test("cases are ordered by any score, by name, and as they came", async (page) => {
  await page.goto(`${site}/runs/1`);
  const first = () => page.locator("[data-rows] tbody a").first().innerText();
  const sorted = async (order) => {
    await filter(page, "order", order);
    return first();
  };
  assert.equal(await sorted("input"), SCRIPT);
  assert.equal(await sorted("label"), SCRIPT);
  const scores = async (order) => {
    await sorted(order);
    return (await page.locator("[data-rows] tbody td.number.strong").allInnerTexts()).map(Number);
  };
  const worst = await scores("");
  assert.deepEqual(worst, [...worst].sort((one, other) => one - other));
  await loads(page, () => page.getByRole("link", { name: "uipath/tool-call-order" }).first().click());
  assert.match(page.url(), /sort=1/);
});

await test("a filter acts while it is typed, and the address says so", async (page) => {
  await page.goto(`${site}/runs/1`);
  await page.getByLabel("text", { exact: true }).fill("case-01");
  await page.getByText("1 to 10 of 10").waitFor();
  await page.waitForURL(/q=case-01/);
  await page.getByLabel("text", { exact: true }).blur();
  await page.keyboard.press("j");
  assert.match(await page.evaluate(() => document.activeElement.innerText), /^case-01/);
  await page.getByLabel("tag", { exact: true }).selectOption("odd");
  await page.getByText("1 to 5 of 5").waitFor();
});

await test("a case says why, what was asked, and what it is of; each leads on", async (page) => {
  await page.goto(`${site}/runs/3`);
  const row = page.locator(".cases tbody tr").filter({ hasText: "cancel-shipped" }).first();
  assert.match(await row.innerText(), /(missed|extra): \w+[\s\S]*Cancel order/);
  await loads(page, () => row.locator("a.tag").first().click());
  assert.match(page.url(), /tag=cancel/);
  await page.goto(`${site}/runs/3`);
  await loads(page, () => page.locator(".cases a.tag", { hasText: "model=" }).first().click());
  assert.match(page.url(), /meta=model/);
  assert.ok(await total(page) > 0);
  await page.goto(`${site}/runs/3`);
  const first = page.locator(".causes .muted a").first();
  const name = await first.innerText();
  await loads(page, () => first.click());
  assert.equal(await page.locator("h1").innerText(), name);
});

await test("a bar of a distribution leads to its cases", async (page) => {
  await page.goto(`${site}/runs/1?tab=evaluators`);
  const bar = page.locator(".bins a").first();
  const number = Number((await bar.getAttribute("aria-label")).split(" ")[0]);
  await loads(page, () => bar.click());
  assert.equal(await total(page), number);
});

await test("a cell of the matrix leads to its cases", async (page) => {
  await page.goto(`${site}/runs/1?tab=tools`);
  const cell = page.locator(".confusion td.wrong a").first();
  const number = Number(await cell.innerText());
  await loads(page, () => cell.click());
  assert.match(page.url(), /expected=.*called=/);
  const found = await total(page);
  assert.ok(found > 0 && found <= number, `${found} cases of ${number} calls`);
});

await test("long lists come in parts", async (page) => {
  await page.goto(`${site}/runs/1?sort=input`);
  assert.equal(await rows(page).count(), 50);
  await page.keyboard.press("n");
  await page.waitForURL(/page=2/);
  await page.getByText("51 to 100 of 136").waitFor();
  await page.keyboard.press("p");
  await page.getByText("1 to 50 of 136").waitFor();
});
