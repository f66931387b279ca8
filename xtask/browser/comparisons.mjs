// The comparison of two runs.

import assert from "node:assert/strict";
import { fileOf } from "./history.mjs";
import { accessible, fits, loads, screenshot, site, test } from "./tester.mjs";

await test("cases that moved are filtered, and stand with the cause that most share", async (page) => {
  await page.goto(`${site}/compare?run=1&run=2`);
  const movement = (name) => page.locator(".movements a").filter({ hasText: name });
  const numbers = (await page.locator(".movements strong").allInnerTexts()).map(Number);
  const [worse, better, newlyFailing, fixed] = numbers;
  assert.ok(worse > 0 && better > worse && newlyFailing > 0 && newlyFailing <= worse && fixed > 0 && fixed <= better, `${numbers}`);
  assert.equal(await page.locator("h1").innerText(), `${worse} cases got worse, ${better} better`);
  // Worse cases come first, grouped by cause.
  const heads = await page.locator(".group-head").allInnerTexts();
  assert.match(heads[0], new RegExp(`^${worse} worse now: refund was not called$`));
  assert.ok(heads.length < 8, `${heads}`);
  const sums = heads.map((head) => Number(head.split(" ")[0]));
  assert.equal(sums.reduce((one, other) => one + other), worse + better);
  // A large group shows its first cases and a link to the rest.
  const more = page.locator(".moved tbody a", { hasText: "… and" }).first();
  const left = Number((await more.innerText()).split(" ")[2]);
  await loads(page, () => more.click());
  assert.equal(await page.locator(".group-head").count(), 1);
  assert.equal(await page.locator(".moved [data-open]").count(), 12 + left);
  await loads(page, () => page.locator(".movements a").last().click());
  await loads(page, () => movement("newly failing").click());
  assert.match(page.url(), /show=newly-failing/);
  assert.equal(await page.locator(".moved [data-open]").count(), newlyFailing);
  assert.ok((await page.locator(".moved tbody td.aside").allInnerTexts()).every((it) => it === "passed → failed"));
  await page.getByLabel("tool", { exact: true }).selectOption("cancel");
  await page.waitForURL(/tool=cancel/);
  await page.waitForFunction((all) => document.querySelectorAll(".moved [data-open]").length < all, newlyFailing);
  await page.goto(`${site}/compare?run=1&run=2&of=1&show=fixed`);
  await page.getByText("No case is like that.").waitFor();
});

await test("a picture shows where cases moved, and cases of one run alone are named", async (page) => {
  await page.goto(`${site}/compare?run=9&run=10`);
  const points = page.locator(".scatter svg a");
  assert.equal(await points.count(), 6);
  assert.deepEqual([await page.locator(".scatter circle.better").count(), await page.locator(".scatter rect.worse").count()], [3, 3]);
  // Clicking a point filters the cases, and the filter can be removed.
  await loads(page, () => points.locator("rect").first().click());
  assert.match(page.url(), /point=\d+-\d+/);
  assert.equal(await page.locator(".moved [data-open]").count(), 1);
  await loads(page, () => page.locator(".movements a").last().click());
  assert.equal(await page.locator(".moved [data-open]").count(), 6);
  for (const [side, run] of [["before", 9], ["after", 10]]) {
    assert.equal(await page.locator(`#only-${side}`).innerText(), `25 cases only in run ${run}`);
  }
  const names = page.locator("section[aria-labelledby=only-after] a");
  assert.equal(await names.count(), 21);
  await loads(page, () => names.last().click());
  assert.equal(await names.count(), 25);
  await loads(page, () => names.first().click());
  assert.match(page.url(), /\/runs\/10\/cases\/10$/);
  assert.match(await page.locator("main").innerText(), /new-0/);
  // The exported file shows the same chart without links.
  await page.goto(fileOf("graded.html"));
  assert.equal(await page.locator(".scatter svg title").count(), 6);
  assert.equal(await page.locator(".scatter a").count(), 0);
  await fits(page);
  await accessible(page);
  await screenshot(page, "comparison-file");
});

await test("a case of two runs has three lanes", async (page) => {
  await page.goto(`${site}/compare?run=1&run=2&case=folded`);
  const alike = page.locator("details.alike");
  assert.match(await alike.locator("summary").innerText(), /^5 calls that are right in both runs$/);
  assert.equal(await alike.getAttribute("open"), null);
  const rows = page.locator("#case ~ .three .row");
  const cells = (row) => rows.nth(row).locator(".cell").allInnerTexts();
  assert.equal(await rows.count(), 3);
  assert.match((await cells(0)).join("|"), /not expected\|[^]*wait[^]*extra[^]*\|[^]*wait[^]*extra/);
  const [expected, was, is] = await cells(1);
  assert.match(expected, /pay[^]*\/order expected 7/);
  assert.match(was, /pay[^]*other arguments[^]*\/order found 8/);
  assert.match(is, /pay[^]*same/);
  assert.deepEqual(await rows.evaluateAll((all) => all.map((it) => it.classList.contains("changed"))), [false, true, true]);
  // The three lanes are side by side if there is room, else the expected lane is above the others.
  const tops = () => rows.nth(1).locator(".cell").evaluateAll((all) => all.map((it) => it.getBoundingClientRect().top));
  const wide = await tops();
  assert.ok(wide[0] === wide[1] && wide[1] === wide[2], `${wide}`);
  await page.setViewportSize({ width: 390, height: 844 });
  const narrow = await tops();
  assert.ok(narrow[0] < narrow[1] && narrow[1] === narrow[2], `${narrow}`);
  await loads(page, () => page.locator(".tabs a").nth(1).click());
  assert.match(page.url(), /by=1/);
  assert.match(await page.locator(".tabs a[aria-current]").innerText(), /tool-call-order/);
  await loads(page, () => page.keyboard.press("u"));
  assert.equal(await page.locator(".three").count(), 0);
});

await test("the comparison with the run before is a click away from list, run and case", async (page) => {
  await page.goto(site);
  const change = page.locator("[data-rows] tbody tr").filter({ hasText: "suite.yaml" }).locator("td.number a.strong").first();
  assert.match(await change.innerText(), /^\+0\.\d{3}$/);
  await loads(page, () => change.click());
  assert.match(page.url(), /\/compare\?run=1&run=2$/);
  await page.goto(`${site}/runs/2`);
  await loads(page, () => page.locator(".strip [data-compare]").click());
  assert.match(page.url(), /\/compare\?run=1&run=2$/);
  await page.goto(`${site}/runs/2?q=folded`);
  await loads(page, () => page.locator("[data-open]").first().click());
  await loads(page, () => page.getByRole("link", { name: "Compare with run 1" }).click());
  assert.match(page.url(), /case=folded/);
  await page.locator("#case ~ .three").first().waitFor();
  await page.goto(`${site}/runs/1`);
  assert.equal(await page.locator("[data-compare]").count(), 0);
});
