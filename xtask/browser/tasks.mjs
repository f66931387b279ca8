// The most common tasks, and the number of clicks they take.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileOf, place, rightcall, still } from "./history.mjs";
import { accessible, fits, loads, site, test, total, view } from "./tester.mjs";

await test("all cases with a cause: one click", async (page) => {
  await page.goto(`${site}/runs/3`);
  const cause = page.locator(".causes li > a").filter({ hasText: "refund: amount differs" });
  const number = Number(await cause.locator("strong").innerText());
  await loads(page, () => cause.click());
  assert.match(page.url(), /cause=refund/);
  assert.equal(await total(page), number);
  assert.match(await page.locator(".chips").innerText(), /refund: amount differs/);
  assert.match(await page.locator(".cases tbody tr").first().innerText(), /refund\(amount=/);
  // Searching for words of the sentence finds it too.
  await page.goto(`${site}/runs/3?q=amount+differs`);
  assert.equal(await total(page), number);
});

await test("all causes have a page, each with its cases", async (page) => {
  await page.goto(`${site}/runs/3`);
  await loads(page, () => page.getByRole("link", { name: "Causes", exact: true }).click());
  const rows = page.locator("[data-rows] tbody tr");
  assert.ok((await rows.count()) > 8);
  const number = Number(await rows.nth(1).locator("td").first().innerText());
  const first = await rows.nth(1).locator("td.muted a").innerText();
  await loads(page, () => rows.nth(1).locator("a[data-open]").click());
  assert.equal(await total(page), number);
  await page.goBack();
  await loads(page, () => rows.nth(1).locator("td.muted a").click());
  assert.equal(await page.locator("h1").innerText(), first);
});

await test("a phone cuts no differing value", async (page) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${site}/runs/3?q=differs`);
  await loads(page, () => page.locator("[data-rows] a[data-open]").first().click());
  const lines = page.locator(".card .difference");
  assert.ok((await lines.count()) > 0);
  const cut = (all) => all.filter((it) => it.scrollWidth > it.clientWidth + 1 || it.scrollHeight > it.clientHeight + 1).length;
  assert.equal(await lines.evaluateAll(cut), 0);
});

await test("which tools fail most, worst first: one click", async (page) => {
  await page.goto(`${site}/runs/3`);
  await loads(page, () => page.getByRole("link", { name: "Tools", exact: true }).click());
  const numbers = await page.locator(".tools tbody tr").evaluateAll((rows) => rows.map((row) =>
    [...row.querySelectorAll("td")].slice(3).map((cell) => Number(cell.innerText) || 0).reduce((one, other) => one + other)));
  assert.ok(numbers.length > 5);
  assert.deepEqual(numbers, [...numbers].sort((one, other) => other - one));
  const missed = page.locator(".tools td.bad a").first();
  const number = Number(await missed.innerText());
  await loads(page, () => missed.click());
  const found = await total(page);
  assert.ok(found > 0 && found <= number, `${found} cases of ${number} calls`);
});

await test("flaky cases: one click", async (page) => {
  await page.goto(`${site}/runs/3`);
  await loads(page, () => page.locator(".strip a").filter({ hasText: "12 cases" }).click());
  assert.equal(await page.locator("section[aria-labelledby=trials] li").count(), 12);
});

await test("the numbers under the headline are those of the run", async (page) => {
  await page.goto(`${site}/runs/3`);
  const strip = await page.locator(".strip").innerText();
  for (const part of ["42", "66.7 %", "14 cases", "0.874"]) assert.ok(strip.includes(part), `${part} in ${strip}`);
  assert.equal(await page.locator(".gates tr").count(), 3);
  await page.goto(`${site}/runs/11`);
  assert.equal(await page.locator("h1").innerText(), "The gate failed · 1 case");
  assert.match(await page.locator(".gates").innerText(), /passed[\s\S]*failed/);
});

await test("the first wrong one of 300 calls is named, and one click away", async (page) => {
  await page.goto(`${site}/runs/11/cases/1`);
  const folded = page.locator("details.evaluation .alike > summary");
  assert.deepEqual(await folded.allInnerTexts(), ["135 calls alike, 1 to 135", "81 calls alike, 139 to 219", "78 calls alike, 223 to 300"]);
  const first = page.locator(".first-difference a");
  assert.match(await first.innerText(), /^call 137, tool_3: other arguments at \/text$/);
  await first.click();
  const card = page.locator("#difference-1");
  const isInView = () => card.evaluate((it) => { const box = it.getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; });
  assert.ok(await isInView());
  // By keyboard: the first, the next, and back.
  await page.keyboard.press("d");
  await page.keyboard.press("d");
  assert.equal(await page.evaluate(() => document.activeElement.id), "difference-2");
  await page.keyboard.press("D");
  assert.equal(await page.evaluate(() => document.activeElement.id), "difference-1");
  const height = await page.evaluate(() => document.body.scrollHeight);
  assert.ok(height < 3000, `${height} pixels`);
});

await test("two models of one run: three clicks, and each goes by its name", async (page) => {
  await page.goto(`${site}/runs/12`);
  await loads(page, () => page.getByRole("link", { name: "Evaluators", exact: true }).last().click());
  await loads(page, () => page.getByRole("link", { name: "first against second" }).click());
  assert.match(await page.locator("h1").innerText(), /^1 case got worse, 1 better$/);
  assert.deepEqual((await page.locator(".moved thead th").allInnerTexts()).slice(1, 3), ["first", "second"]);
  await loads(page, () => page.locator(".movements a").filter({ hasText: "newly failing" }).click());
  assert.equal(await page.locator("[data-open]").count(), 1);
  await loads(page, () => page.locator("[data-open]").click());
  await page.locator(".three .row").first().waitFor();
});

await test("three runs are compared in one table", async (page) => {
  await page.goto(`${site}/compare?run=3&run=5&run=4`);
  assert.match(await page.locator("h1").innerText(), /^3 runs, \d+ cases that all have$/);
  assert.deepEqual(await page.locator("section[aria-labelledby=means] tbody th").allInnerTexts(), ["run 3", "run 4", "run 5"]);
  await loads(page, () => page.getByRole("link", { name: "run 3 against run 5" }).click());
  assert.match(page.url(), /run=3&run=5/);
});

await test("why a run is worse than the one before: three clicks, and true causes", async (page) => {
  await page.goto(`${site}/runs/10`);
  await loads(page, () => page.locator(".strip [data-compare]").click());
  await page.goto(`${site}/compare?run=1&run=2`);
  const row = page.locator(".causes-compared tr").filter({ hasText: "cancel was not called" });
  const [before, after] = (await row.locator("td").allInnerTexts()).map(Number);
  assert.ok(before > after && after > 0);
  await loads(page, () => row.locator("a").last().click());
  assert.match(page.url(), /\/runs\/2\?cause=cancel/);
  assert.equal(await total(page), after);
});

await test("a filter keeps the cause, the use and the value that were clicked", async (page) => {
  await page.goto(`${site}/runs/3?cause=refund%3A+amount+differs`);
  const number = await total(page);
  await page.getByLabel("outcome", { exact: true }).selectOption("failed");
  await page.waitForURL(/outcome=failed/);
  assert.match(page.url(), /cause=refund/);
  assert.ok((await total(page)) <= number);
});

await test("share one case: one click, and a file that needs neither history nor network", async (page) => {
  await page.goto(`${site}/runs/3?q=cancel-shipped`);
  await loads(page, () => page.locator("[data-open]").first().click());
  const name = await page.locator("h1").innerText();
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("[data-download]").click()]);
  assert.match(download.suggestedFilename(), /^run-3-case-\d+\.html$/);
  const file = path.join(place, "shared", download.suggestedFilename());
  await download.saveAs(file);
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(fileOf(path.join("shared", download.suggestedFilename())));
    assert.equal(await page.locator("h1").innerText(), name);
    const card = page.locator("details[open] .card").first();
    await card.waitFor();
    assert.notEqual(await card.evaluate((it) => getComputedStyle(it).borderTopStyle), "none");
    await fits(page);
    await accessible(page);
  }
  assert.ok(asked.length === 2 && asked.every((it) => it.startsWith("file:")), `${asked}`);
});

// A folder with a suite and a history of its own. Returns the folder, and how to read its cases.
const folder = (name) => {
  const folder = path.join(place, name);
  fs.mkdirSync(folder);
  const line = (id, actual) => JSON.stringify({ id, expected: [{ name: "refund", args: { id: 7 } }], actual: [{ name: "refund", args: { id: actual } }] });
  const cases = path.join(folder, "cases.jsonl");
  fs.writeFileSync(cases, `${line("a", 7)}\n  ${line("it's \"b\"", 8)}  \n${line("c", 9)}\n`);
  fs.writeFileSync(path.join(folder, "suite.yaml"), "cases: cases.jsonl\nevaluators: [{evaluator: trajectory, threshold: 1}]\n");
  execFileSync("sh", ["-c", '"$0" run suite.yaml --history .rightcall/history.db --quiet || test $? -eq 1', rightcall], { cwd: folder, env: still });
  return [folder, () => fs.readFileSync(cases, "utf8")];
};
const open = async (page, viewer) => {
  await page.goto(`${viewer}/runs/1?q=it%27s`);
  await loads(page, () => page.locator("[data-open]").first().click());
};

await test("accept a new expectation: two clicks with --edit, and the same by the copied command", async (page) => {
  const [[edited, clicked], [untouched, typed]] = ["edited", "untouched"].map(folder);
  const before = clicked();
  const wanted = before.replace('"id":7}}],"actual":[{"name":"refund","args":{"id":8', '"id":{"$one_of":[7,8]}}}],"actual":[{"name":"refund","args":{"id":8');
  assert.notEqual(wanted, before);
  await open(page, await view(edited, "--edit"));
  await loads(page, () => page.locator("[data-accept]").click());
  assert.equal(await page.locator(".diff del").innerText(), "7");
  assert.equal(await page.locator(".diff ins").innerText(), '{"$one_of":[7,8]}');
  await page.locator("main .card").first().waitFor();
  await accessible(page);
  await fits(page);
  assert.equal(clicked(), before);
  await loads(page, () => page.getByRole("button", { name: "Accept" }).click());
  assert.equal(await page.locator("h1").innerText(), "cases.jsonl expects these calls");
  assert.deepEqual([clicked(), typed()], [wanted, before]);
  // A viewer without --edit only has the command.
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page, await view(untouched));
  assert.equal(await page.locator("[data-accept]").count(), 0);
  await page.locator("p", { hasText: "To expect these calls too" }).getByRole("button", { name: "Copy" }).click();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(command, /^rightcall review cases.jsonl --run 1 --accept /);
  execFileSync("bash", ["-c", `rightcall() { ${JSON.stringify(rightcall)} "$@"; }; ${command} --quiet`], { cwd: untouched, env: still });
  assert.equal(typed(), wanted);
});
