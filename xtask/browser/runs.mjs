// The list of runs, and the summary of a run.

import assert from "node:assert/strict";
import path from "node:path";
import { example, fileOf, run } from "./history.mjs";
import { accessible, filter, loads, rows, site, test } from "./tester.mjs";

for (const [label, value, count] of [["suite", example, 3], ["suite", "suite.yaml", 2], ["branch", "trunk", 8], ["tag", "before", 1]]) {
  await test(`runs are filtered by ${label} ${path.basename(value)}`, async (page) => {
    await page.goto(site);
    await filter(page, label, value);
    assert.match(page.url(), new RegExp(`${label}=`));
    assert.equal(await rows(page).count(), count);
    await page.goto(page.url());
    assert.equal(await rows(page).count(), count, "the address alone gives the same runs");
    await loads(page, () => page.getByRole("link", { name: "clear" }).click());
    assert.equal(await rows(page).count(), 12);
  });
}

await test("a phone shows runs as cards, with every number and the box to pick", async (page) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(site);
  const row = rows(page).first();
  for (const part of [row.locator("input"), row.locator("[data-head=mean]"), row.locator("[data-head=passed]"), row.locator("td").last()]) {
    const { x, width } = await part.boundingBox();
    assert.ok(x >= 0 && x + width <= 390, `${x} ${width}`);
  }
});

await test("pass rate and mean are drawn over runs of the same cases", async (page) => {
  const told = /mean and pass rate, oldest first: run 3: 0\.874, 66\.7 %; run 5: 0\.874, 66\.7 %$/;
  const last = /oldest first: run 9: 0\.985, 94\.1 %; run 10: 0\.990, 97\.1 %$/;
  for (const [address, wanted] of [[`/?suite=${encodeURIComponent(example)}`, told], ["/", last], ["/runs/5?tab=evaluators", told]]) {
    await page.goto(site + address);
    assert.match(await page.locator(".over-runs .plot").getAttribute("aria-label"), wanted);
    // Two lines with two points each, with no part cut off.
    const plot = page.locator(".over-runs svg");
    assert.equal(await plot.locator("circle").count(), 2);
    const cut = await plot.evaluate((svg) => [...svg.querySelectorAll("text")].filter((it) => it.getBBox().x < 0).length);
    assert.equal(cut, 0);
  }
  await page.goto(fileOf("example.html"));
  assert.match(await page.locator(".over-runs .plot").getAttribute("aria-label"), /run 3: .*; run this: 0\.874, 66\.7 %$/);
});

await test("trials and flaky cases are told", async (page) => {
  for (const address of [`${site}/runs/3?tab=trials`, fileOf("example.html")]) {
    await page.goto(address);
    const trials = page.locator("section[aria-labelledby=trials]");
    assert.match(await trials.innerText(), /14 cases × 3 trials; two trials of a case end alike in 42\.9 %/);
    assert.deepEqual(await trials.locator("tbody tr").nth(1).locator("td").allInnerTexts(), ["66.7 %", "38.1 %", "14.3 %"]);
    assert.equal(await trials.locator("li").count(), 12);
  }
});

await test("the matrix is shown whole", async (page) => {
  for (const address of [`${site}/runs/3?tab=tools`, fileOf("example.html")]) {
    await page.goto(address);
    const hidden = await page.locator(".matrix .scroll").evaluate((it) => it.scrollWidth - it.clientWidth);
    assert.ok(hidden <= 0, `${hidden} pixels of it are hidden`);
  }
});

await test("the coverage of a run is that of the command", async (page) => {
  const { tools } = JSON.parse(run("coverage", example, "--format", "json"));
  await page.goto(`${site}/runs/3?tab=coverage`);
  const covered = page.locator("section[aria-labelledby=coverage] tbody tr");
  const texts = (all) => all.filter((it) => it.querySelector("th a")).map((it) => [...it.children].slice(0, 3).map((cell) => cell.innerText));
  assert.deepEqual(await covered.evaluateAll(texts), tools.map((it) => [it.name, `${it.cases}`, `${it.runs}`]));
  await loads(page, () => covered.locator("a").first().click());
  assert.ok(await rows(page).count() > 0);
});

await test("the strength of a run is that of the command", async (page) => {
  const { operators, survivors, strength } = JSON.parse(run("strength", example, "--seed", "7", "--format", "json"));
  await page.goto(`${site}/runs/3?tab=strength&seed=7`);
  await page.locator("ol.survivors").waitFor();
  const cells = (rows) => rows.filter((it) => it.children.length === 6).map((it) => [...it.children].map((cell) => cell.innerText));
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  const applied = operators.filter((it) => it.broken > 0).map((it) => [`${it.weight}`, `${it.broken}`, `${it.noticed}`, percent(it.share), `${it.left_open}`]);
  assert.deepEqual((await page.locator("section.strength tbody tr").evaluateAll(cells)).map((it) => it.slice(1)), applied);
  assert.deepEqual(await page.locator("section.strength dd").allInnerTexts(), [percent(strength.single_calls), percent(strength.whole_runs)]);
  const shown = await page.locator("ol.survivors li").allInnerTexts();
  assert.equal(shown.length, survivors.length);
  for (const [at, it] of survivors.entries()) {
    assert.ok(shown[at].includes(it.example.change) && (!it.setting || shown[at].includes(it.setting.evaluator)), shown[at]);
  }
  await loads(page, () => page.locator("ol.survivors a").first().click());
  assert.match(page.url(), /\/runs\/3\/cases\/\d+$/);
});

await test("an evaluator's page has the settings that a run uses", async (page) => {
  await page.goto(`${site}/runs/1?tab=evaluators`);
  await loads(page, () => page.getByRole("link", { name: "settings" }).first().click());
  assert.match(await page.locator(".in-use code").innerText(), /^trajectory,threshold=0\.8$/);
  await accessible(page);
  await loads(page, () => page.keyboard.press("u"));
  assert.match(page.url(), /\/runs\/1$/);
});
