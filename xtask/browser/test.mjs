// Goes through every page, filter and key of the viewer, and through the HTML report, in a real browser.
//
//   node test.mjs PATH-OF-RIGHTCALL EXAMPLES FOLDER-FOR-SCREENSHOTS [PART-OF-A-TEST-NAME]
//
// Names and arguments are hostile: whatever runs, loads or breaks a layout fails a test.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import sparticuz from "@sparticuz/chromium";
import { chromium } from "playwright-core";

const [rightcall, examples, shots, only = ""] = process.argv.slice(2);
const axe = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const place = fs.mkdtempSync(path.join(os.tmpdir(), "rightcall-browser-"));
fs.mkdirSync(shots, { recursive: true });

const SCRIPT = "<script>window.pwned=1</script><img src=x onerror=window.pwned=1>\"'`{{7*7}}";
const RTL = "\u202egnp.exe \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627";
const LONG = "x".repeat(1 << 20);

const call = (name, args, more = {}) => ({ name, args, ...more });
const second = 1_000_000_000;
const hostile = [
  { id: SCRIPT, tags: [SCRIPT, "hostile"], input: SCRIPT, description: `</title>${SCRIPT}`,
    expected: [call(SCRIPT, { [SCRIPT]: SCRIPT }), call("after", {})], actual: [call(SCRIPT, { [SCRIPT]: `${SCRIPT}!` }), call(`${SCRIPT}2`, {})] },
  { id: RTL, tags: [RTL, "hostile"], input: RTL,
    expected: [call(RTL, { [RTL]: RTL })], actual: [call(RTL, { [RTL]: `${RTL} more` })] },
  { id: "long", tags: ["long"], input: LONG,
    expected: [call("send", { body: LONG, to: 1 })], actual: [call("send", { body: `${LONG}y`, to: 2 }), call("n".repeat(5000), {})] },
  { id: "times", tags: ["timed"],
    expected: [call("find", { id: 7 }), call("policy", { kind: "refund" }), call("refund", { id: 7, amount: 20.5 })],
    actual: [
      call("find", { id: 7 }, { start: 0, end: second / 4 }),
      call("policy", { kind: "refund" }, { start: second, end: 1.1 * second, group: "g" }),
      call("customer", { id: 12 }, { start: second, end: 1.2 * second, group: "g" }),
      call("refund", { id: 1, amount: 20.5 }, { start: 2 * second, end: 3 * second }),
    ] },
  { id: "nothing", expected: [], actual: [] },
];
const many = Array.from({ length: 130 }, (_, index) => ({
  id: `case-${String(index).padStart(3, "0")}`, tags: [index % 2 ? "odd" : "even"],
  expected: [call("find", { id: index }), call(index % 3 ? "refund" : "cancel", { id: index })],
  actual: [call("find", { id: index % 5 ? index : 0 }), call("refund", { id: index })],
}));
// Most of it is right in both runs; the rest is mended by the second.
const looks = Array.from({ length: 5 }, (_, index) => call("look", { page: index }));
const folded = { id: "folded", expected: [...looks, call("pay", { order: 7, amount: 20 }), call("confirm", { order: 7 })] };
const before = { ...folded, actual: [...looks, call("wait", { seconds: 5 }), call("pay", { order: 8, amount: 20 }), call("confirm", { order: 8 })] };
const after = { ...folded, actual: [...looks, call("wait", { seconds: 5 }), call("pay", { order: 7, amount: 20 }), call("confirm", { order: 7 })] };
// In the second run all is as expected, but that a few refunds are left out.
const later = many.map((it, index) => ({ ...it, actual: index % 20 === 1 ? it.expected.slice(0, 1) : it.expected }));
const lines = (cases) => cases.map((it) => JSON.stringify(it)).join("\n") + "\n";
fs.writeFileSync(path.join(place, "cases.jsonl"), lines([...hostile, ...many, before]));
fs.writeFileSync(path.join(place, "better.jsonl"), lines([...hostile, ...later, after]));
const suite = (cases) => `cases: ${cases}
evaluators:
  - {evaluator: trajectory, threshold: 0.8}
  - uipath/tool-call-order
  - {evaluator: uipath/tool-call-count, name: '${SCRIPT.replaceAll("'", "''")}'}
gates:
  - trajectory: {mean: ">= 0.9"}
  - passed: ">= 10%"
`;
fs.writeFileSync(path.join(place, "suite.yaml"), suite("cases.jsonl"));
fs.writeFileSync(path.join(place, "later.yaml"), suite("better.jsonl"));

const still = { ...process.env, GITHUB_ACTIONS: "", GITHUB_STEP_SUMMARY: "" };
function run(...argumentsOf) {
  try {
    return execFileSync(rightcall, argumentsOf, { cwd: place, env: still, stdio: ["ignore", "pipe", "pipe"] }).toString();
  } catch (error) {
    // A gate that is missed is what the suite is for.
    assert.equal(error.status, 1, error.stderr?.toString());
    return error.stdout.toString();
  }
}
run("run", "suite.yaml", "--report", "html=hostile.html", "--quiet");
fs.copyFileSync(path.join(place, "suite.yaml"), path.join(place, "first.yaml"));
fs.copyFileSync(path.join(place, "later.yaml"), path.join(place, "suite.yaml"));
run("run", "suite.yaml", "--quiet");
run("history", "tag", "1", "before");
const example = path.join(examples, "support-agent/suite.yaml");
run("run", example, "--quiet");
run("run", example, "-k", "refund", "--quiet");
// The next runs are of a branch, and the line over runs has two points.
for (const words of [["init", "-q", "-b", "trunk"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "a"]]) {
  execFileSync("git", words, { cwd: place });
}
run("run", example, "--report", "html=example.html", "--quiet");
// Nothing of this may be seen.
const SECRET = "sesame-4711";
fs.writeFileSync(path.join(place, "secret.jsonl"), lines([{
  id: "secret", input: `pay with ${SECRET}`, output: SECRET, description: SECRET, tags: [SECRET], customer: { mail: SECRET },
  expected: [call("pay", { card: SECRET })], actual: [call("pay", { card: `${SECRET}!` }, { output: JSON.stringify({ card: SECRET }) })],
}]));
fs.writeFileSync(path.join(place, "secret.yaml"), `cases: secret.jsonl
evaluators: [{evaluator: trajectory, threshold: 0.5}]
gates: [{passed: ">= 0%"}]
redact: [card, mail, $/input, $/output, $/description, $/tags/*]
`);
run("run", "secret.yaml", "--report", "html=secret.html", "--quiet");

// Several runs are right; the second run takes another way.
const ways = [
  { any_order: ["get_policy", call("find_order", { id: 7 }, { output: { total: { $var: "total" } } })] },
  { one_of: [call("refund", { amount: { $var: "total" } }), call("escalate", { to: { $type: "string" } })] },
  { optional: [{ repeat: call("send_email", { to: { $pattern: "@" } }), max: 3 }] },
];
const found = call("find_order", { id: 7 }, { output: { total: 30 } });
const refunds = (amount) => ({ id: "ways", expected: ways, actual: [call("get_policy", {}), found, call("refund", { amount }), call("send_email", { to: "a@b" }), call("send_email", { to: "c@d" })] });
const escalated = { id: "ways", expected: ways, actual: [found, call("get_policy", {}), call("escalate", { to: "desk" })] };
fs.writeFileSync(path.join(place, "ways.yaml"), "cases: ways.jsonl\nevaluators: [fitness, {evaluator: trajectory, threshold: 0.9}]\n");
for (const cases of [[refunds(50)], [escalated]]) {
  fs.writeFileSync(path.join(place, "ways.jsonl"), lines(cases));
  run("run", "ways.yaml", "--report", `html=ways-${cases[0].actual.length}.html`, "--quiet");
}

// Cases of many scores that get better or worse; some are gone in the second run, and others new.
const graded = (number, wrong) => Array.from({ length: 9 }, (_, size) => {
  const calls = Array.from({ length: size + 2 }, (_, index) => call("step", { index, of: size }));
  return { id: `graded-${size}`, expected: calls, actual: calls.slice(size % 3 === number ? wrong : 0) };
});
const alone = (side) => Array.from({ length: 25 }, (_, index) => ({ id: `${side}-${index} ${SCRIPT}`, expected: ["find"], actual: ["find"] }));
fs.writeFileSync(path.join(place, "graded.yaml"), "cases: graded.jsonl\nevaluators: [{evaluator: trajectory, threshold: 0.9}]\n");
for (const [number, side] of ["gone", "new"].entries()) {
  fs.writeFileSync(path.join(place, "graded.jsonl"), lines([...graded(number, 1), ...alone(side)]));
  run("run", "graded.yaml", "--quiet");
}
run("compare", "9", "10", "-o", "graded.html");

const server = spawn(rightcall, ["view", "--port", "0"], { cwd: place, env: still, stdio: ["ignore", "ignore", "pipe"] });
const site = await new Promise((resolve, reject) => {
  let said = "";
  server.stderr.on("data", (data) => {
    said += data;
    const found = said.match(/http:\/\/[^/\s]+/);
    if (found) resolve(found[0]);
  });
  server.on("exit", () => reject(new Error(said)));
});

let browser;
try {
  browser = await chromium.launch({ executablePath: await sparticuz.executablePath(), args: ["--no-sandbox", "--disable-gpu"] });
} catch (error) {
  // Where the system lacks the libraries of that one, Debian's own has them.
  const installed = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((it) => fs.existsSync(it));
  if (!installed) throw error;
  browser = await chromium.launch({ executablePath: installed, args: ["--no-sandbox"] });
}

let passed = 0;
let failed = 0;
async function test(name, body, colorScheme = "light") {
  if (!name.includes(only)) return;
  const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const troubles = [];
  page.on("console", (message) => message.type() === "error" && !message.text().includes("404 (Not Found)") && troubles.push(message.text()));
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("dialog", (dialog) => { troubles.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    if (!request.url().startsWith(site) && !request.url().startsWith("file:")) troubles.push(`asks for ${request.url()}`);
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

/// What a checker of accessibility has to say, contrast included.
async function accessible(page) {
  const violations = await page.evaluate(async (source) => {
    if (!window.axe) (0, eval)(source);
    const found = await window.axe.run(document, { resultTypes: ["violations"] });
    return found.violations.map((it) => `${it.id}: ${it.nodes.length} x ${it.nodes[0].html.slice(0, 160)} ${it.nodes[0].failureSummary}`);
  }, axe);
  assert.deepEqual(violations, []);
}

async function fits(page) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `the page is ${wide} pixels too wide`);
}

/// Does what leads to another page, and waits until that is there.
const loads = (page, action) => Promise.all([page.waitForEvent("load"), action()]);

/// A browser that is short of time may fail to draw a picture at once.
async function screenshot(page, name) {
  for (let left = 5; ; left -= 1) {
    try {
      return await page.screenshot({ path: path.join(shots, `${name}.png`), fullPage: true });
    } catch (error) {
      if (left === 0) throw error;
      await page.waitForTimeout(500);
    }
  }
}

const pages = {
  runs: "/", run: "/runs/3", "hostile-run": "/runs/1", case: "/runs/3/cases/2", "hostile-case": "/runs/1/cases/1",
  "rtl-case": "/runs/1/cases/2", "long-case": "/runs/1/cases/3", "timed-case": "/runs/1/cases/4", "empty-case": "/runs/1/cases/5",
  compare: "/compare?run=1&run=2", "compare-case": "/compare?run=1&run=2&case=case-120", "compare-lanes": "/compare?run=1&run=2&case=folded", "compare-newly-failing": "/compare?run=1&run=2&show=newly-failing", "compare-graded": "/compare?run=9&run=10",
  "redacted-case": "/runs/6/cases/1",
  "run-after-runs": "/runs/5", "ways-case": "/runs/7/cases/1", "compare-ways": "/compare?run=7&run=8&case=ways", "evaluator-in-run": "/evaluators/trajectory?run=1", evaluators: "/evaluators", evaluator: "/evaluators/trajectory", missing: "/runs/99",
};
for (const colors of ["light", "dark"]) {
  for (const [name, address] of Object.entries(pages)) {
    await test(`${name}, ${colors}`, async (page) => {
      const answer = await page.goto(site + address);
      assert.equal(answer.status(), name === "missing" ? 404 : 200);
      const policy = answer.headers()["content-security-policy"];
      assert.match(policy, /default-src 'none'/);
      assert.doesNotMatch(policy, /unsafe/);
      await screenshot(page, `${name}-${colors}`);
      // A missing page is an error on the console by itself.
      await fits(page);
      await page.setViewportSize({ width: 390, height: 844 });
      if (["runs", "run", "case", "compare-case", "compare-lanes", "compare-newly-failing", "compare-graded", "ways-case", "compare-ways"].includes(name)) await screenshot(page, `${name}-${colors}-narrow`);
      await fits(page);
      await accessible(page);
    }, colors);
  }
  for (const name of ["hostile", "example"]) {
    await test(`report ${name}, ${colors}`, async (page) => {
      await page.goto(pathToFileURL(path.join(place, `${name}.html`)).href);
      await page.locator("details.case > summary").first().click();
      await page.locator("details[open] details[open] .lanes").first().waitFor();
      await screenshot(page, `report-${name}-${colors}`);
      await fits(page);
      assert.equal(await page.locator("script").count(), 0);
      await accessible(page);
      const plots = await page.locator(".plot svg").evaluateAll((all) => all.map((it) => getComputedStyle(it.querySelector("text, rect")).fill));
      assert.ok(plots.length > 0 && plots.every((fill) => fill !== "rgb(1, 1, 1)" && fill !== "rgb(3, 3, 3)"), `${plots}`);
    }, colors);
  }
}

await test("the report reads aloud", async (page) => {
  await page.goto(pathToFileURL(path.join(place, "example.html")).href);
  assert.match(await page.locator("h1").innerText(), /All 3 gates hold on 42 cases\./);
  assert.ok((await page.locator(".causes li").count()) >= 3);
});

await test("runs are filtered by suite and tag, and the address says so", async (page) => {
  await page.goto(site);
  assert.equal(await page.locator("[data-rows] tbody tr").count(), 10);
  await page.getByLabel("tag").selectOption("before");
  await loads(page, () => page.getByRole("button", { name: "Filter" }).click());
  assert.match(page.url(), /tag=before/);
  assert.equal(await page.locator("[data-rows] tbody tr").count(), 1);
  await page.goto(page.url());
  assert.equal(await page.locator("[data-rows] tbody tr").count(), 1);
});

for (const [label, value, rows] of [["suite", example, 3], ["suite", "suite.yaml", 2], ["branch", "trunk", 6]]) {
  await test(`runs are filtered by ${label} ${path.basename(value)}`, async (page) => {
    await page.goto(site);
    await page.getByLabel(label, { exact: true }).selectOption(value);
    await loads(page, () => page.getByRole("button", { name: "Filter" }).click());
    assert.match(page.url(), new RegExp(`${label}=`));
    assert.equal(await page.locator("[data-rows] tbody tr").count(), rows);
    await loads(page, () => page.getByRole("link", { name: "clear" }).click());
    assert.equal(await page.locator("[data-rows] tbody tr").count(), 10);
  });
}

await test("pass rate and mean are drawn over runs of the same cases", async (page) => {
  const told = /mean and pass rate, oldest first: run 3: 0\.874, 66\.7 %; run 5: 0\.874, 66\.7 %$/;
  const last = /oldest first: run 9: 0\.985, 94\.1 %; run 10: 0\.990, 97\.1 %$/;
  for (const [address, wanted] of [[`/?suite=${encodeURIComponent(example)}`, told], ["/", last], ["/runs/5", told]]) {
    await page.goto(site + address);
    assert.match(await page.locator(".over-runs .plot").getAttribute("aria-label"), wanted);
    // Two lines with two points each, and nothing of it cut off.
    const plot = page.locator(".over-runs svg");
    assert.equal(await plot.locator("circle").count(), 2);
    const cut = await plot.evaluate((svg) => [...svg.querySelectorAll("text")].filter((it) => it.getBBox().x < 0).length);
    assert.equal(cut, 0);
  }
  await page.goto(pathToFileURL(path.join(place, "example.html")).href);
  assert.match(await page.locator(".over-runs .plot").getAttribute("aria-label"), /run 3: .*; run this: 0\.874, 66\.7 %$/);
});

await test("trials and flaky cases are told", async (page) => {
  for (const address of [`${site}/runs/3`, pathToFileURL(path.join(place, "example.html")).href]) {
    await page.goto(address);
    const trials = page.locator("section[aria-labelledby=trials]");
    assert.match(await trials.innerText(), /14 cases × 3 trials; two trials of a case end alike in 42\.9 %/);
    assert.deepEqual(await trials.locator("tbody tr").nth(1).locator("td").allInnerTexts(), ["66.7 %", "38.1 %", "14.3 %"]);
    assert.equal(await trials.locator("li").count(), 12);
  }
});

await test("what is redacted is on no page", async (page) => {
  const addresses = ["/", "/runs/6", "/runs/6/cases/1", "/runs/6?q=sesame", "/compare?run=6&run=6"].map((it) => site + it);
  for (const address of [...addresses, pathToFileURL(path.join(place, "secret.html")).href]) {
    await page.goto(address);
    const html = (await page.content()).replace(/q=sesame|value="sesame"|text: sesame/g, "");
    assert.ok(!html.includes(SECRET), address);
  }
  await page.goto(`${site}/runs/6/cases/1`);
  assert.match(await page.locator("main").innerText(), /\[redacted 1\]/);
  await page.goto(`${site}/runs/6?q=sesame`);
  await page.getByText("No case is like that.").waitFor();
});

await test("the matrix is shown whole", async (page) => {
  for (const address of [`${site}/runs/3`, pathToFileURL(path.join(place, "example.html")).href]) {
    await page.goto(address);
    const hidden = await page.locator(".matrix .scroll").evaluate((it) => it.scrollWidth - it.clientWidth);
    assert.ok(hidden <= 0, `${hidden} pixels of it are hidden`);
  }
});

const total = async (page) => Number((await page.locator("#cases ~ nav.paging span, section[aria-labelledby=cases] nav.paging span").last().innerText()).split(" of ")[1]);
for (const [label, value, count] of [
  ["tag", "odd", 65], ["tool", "cancel", 44], ["outcome", "failed", undefined], ["outcome", "passed", undefined], ["text", "case-01", 10],
]) {
  await test(`cases are filtered by ${label} ${value}`, async (page) => {
    await page.goto(`${site}/runs/1`);
    const all = await total(page);
    const field = page.getByLabel(label, { exact: true });
    if (label === "text") await field.fill(value); else await field.selectOption(value);
    await loads(page, () => page.getByRole("button", { name: "Filter" }).click());
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
  await page.getByLabel("of", { exact: true }).selectOption("0");
  await loads(page, () => page.getByRole("button", { name: "Filter" }).click());
  assert.match(page.url(), /outcome=passed&evaluator=0/);
  assert.equal(await total(page), 70);
});

await test("cases are ordered by any score, by name, and as they came", async (page) => {
  await page.goto(`${site}/runs/1`);
  const first = () => page.locator("[data-rows] tbody a").first().innerText();
  const sorted = async (order) => {
    await page.getByLabel("order", { exact: true }).selectOption(order);
    await loads(page, () => page.getByRole("button", { name: "Filter" }).click());
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
  const first = page.locator(".causes a").first();
  const name = await first.innerText();
  await loads(page, () => first.click());
  assert.equal(await page.locator("h1").innerText(), name);
});

await test("a bar of a distribution leads to its cases", async (page) => {
  await page.goto(`${site}/runs/1`);
  const bar = page.locator(".bins a").first();
  const number = Number((await bar.getAttribute("aria-label")).split(" ")[0]);
  await loads(page, () => bar.click());
  assert.equal(await total(page), number);
});

await test("evaluators are tabs in the address, and calls are there in full", async (page) => {
  await page.goto(`${site}/runs/1/cases/4`);
  assert.equal(await page.locator(".tabs a").count(), 3);
  await loads(page, () => page.locator(".tabs a").nth(1).click());
  assert.match(page.url(), /by=1/);
  assert.match(await page.locator("details.evaluation[open] > summary").innerText(), /tool-call-order/);
  await page.goto(`${site}/runs/1/cases/4#actual-4`);
  const call = page.locator("#actual-4");
  assert.match(await call.innerText(), /refund/);
  assert.equal(await call.locator("pre").innerText(), '{"id":1,"amount":20.5}');
});

await test("a cell of the matrix leads to its cases", async (page) => {
  await page.goto(`${site}/runs/1`);
  const cell = page.locator(".confusion td.wrong a").first();
  const number = Number(await cell.innerText());
  await loads(page, () => cell.click());
  assert.match(page.url(), /expected=.*called=/);
  const found = await total(page);
  assert.ok(found > 0 && found <= number, `${found} cases of ${number} calls`);
});

await test("long lists come in parts", async (page) => {
  await page.goto(`${site}/runs/1?sort=input`);
  assert.equal(await page.locator("[data-rows] tbody tr").count(), 50);
  await page.keyboard.press("n");
  await page.waitForURL(/page=2/);
  await page.getByText("51 to 100 of 136").waitFor();
  await page.keyboard.press("p");
  await page.getByText("1 to 50 of 136").waitFor();
});

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
  await page.keyboard.press("n");
  await page.waitForFunction((before) => document.querySelector("h1").innerText !== before, label);
  await page.keyboard.press("p");
  await page.waitForFunction((before) => document.querySelector("h1").innerText === before, label);
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
  for (let row = 1; row < 9; row += 1) await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  for (let row = 9; row > 0; row -= 1) await page.keyboard.press("k");
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

await test("cases that moved are filtered, and stand with the cause that most share", async (page) => {
  await page.goto(`${site}/compare?run=1&run=2`);
  const movement = (name) => page.locator(".movements a").filter({ hasText: name });
  const numbers = (await page.locator(".movements strong").allInnerTexts()).map(Number);
  const [worse, better, newlyFailing, fixed] = numbers;
  assert.ok(worse > 0 && better > worse && newlyFailing > 0 && newlyFailing <= worse && fixed > 0 && fixed <= better, `${numbers}`);
  assert.equal(await page.locator("h1").innerText(), `${worse} cases got worse, ${better} better`);
  // What is worse comes first, by a cause and not case by case.
  const heads = await page.locator(".group-head").allInnerTexts();
  assert.match(heads[0], new RegExp(`^${worse} worse now: refund was not called$`));
  assert.ok(heads.length < 8, `${heads}`);
  const sums = heads.map((head) => Number(head.split(" ")[0]));
  assert.equal(sums.reduce((one, other) => one + other), worse + better);
  // A large group shows its first cases, and the others behind a link.
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
  // A point leads to its cases, and its filter can be taken away.
  await loads(page, () => points.locator("rect").first().click());
  assert.match(page.url(), /point=\d+-\d+/);
  assert.equal(await page.locator(".moved [data-open]").count(), 1);
  await loads(page, () => page.locator(".movements a").last().click());
  assert.equal(await page.locator(".moved [data-open]").count(), 6);
  for (const side of ["before", "after"]) {
    assert.equal(await page.locator(`#only-${side}`).innerText(), `25 cases only ${side}`);
  }
  const names = page.locator("section[aria-labelledby=only-after] a");
  assert.equal(await names.count(), 21);
  await loads(page, () => names.last().click());
  assert.equal(await names.count(), 25);
  await loads(page, () => names.first().click());
  assert.match(page.url(), /\/runs\/10\/cases\/10$/);
  assert.match(await page.locator("main").innerText(), /new-0/);
  // The file shows the same picture, without links.
  await page.goto(pathToFileURL(path.join(place, "graded.html")).href);
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
  // The lanes stand side by side where there is room, else what is expected stands above.
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

await test("an expectation with several right ways is a tree beside the lanes of the way that was taken", async (page) => {
  const tree = page.locator(".expectation").first();
  for (const address of [`${site}/runs/7/cases/1`, pathToFileURL(path.join(place, "ways-5.html")).href]) {
    await page.goto(address);
    if (address.startsWith("file:")) await page.locator("details.case > summary").first().click();
    assert.match(await tree.innerText(), /not accepted, cost 1/);
    const lines = (await tree.locator("li").allInnerTexts()).map((line) => line.replace(/\s+/g, " "));
    assert.deepEqual(lines.map((line) => line.slice(0, 20).trim()), ["in any order", "✓ get_policy", '✓ find_order {"id":7', "one of: alternative", '≠ refund {"amount":$', "· escalate {\"to\":{\"$", "optional: taken", "repeated: 2 rounds", '✓ send_email {"to":{']);
    assert.equal(await tree.locator(".variables code").innerText(), "$total = 30");
    assert.match(await tree.locator("p.bad").innerText(), /refund used another amount than find_order returned/);
    const lanes = page.locator("details.evaluation[open] .lanes").first();
    assert.equal(await lanes.locator(".lane").first().locator(".card").count(), 5, "the calls of the way that was taken");
    assert.match(await lanes.locator(".card.differs .remark").first().innerText(), /other arguments/);
    assert.match(await lanes.locator(".card.differs .difference").first().innerText(), /expected \$total$/);
  }
  await page.goto(`${site}/runs/7`);
  assert.match(await page.locator(".cases .why").innerText(), /refund used another amount/);
  await page.goto(`${site}/compare?run=7&run=8&case=ways`);
  assert.equal(await page.locator(".expectation").count(), 2);
  assert.equal(await page.locator("#case ~ .sides .lanes").count(), 2);
  await page.getByText("The runs went different ways").waitFor();
});

await test("the comparison with the run before is a click away from list, run and case", async (page) => {
  await page.goto(site);
  const change = page.locator("[data-rows] tbody tr").filter({ hasText: "suite.yaml" }).locator("a.better").first();
  assert.match(await change.innerText(), /^\+0\.\d{3}$/);
  await loads(page, () => change.click());
  assert.match(page.url(), /\/compare\?run=1&run=2$/);
  await page.goto(`${site}/runs/2`);
  await loads(page, () => page.getByRole("link", { name: "Compare with run 1" }).click());
  assert.match(page.url(), /\/compare\?run=1&run=2$/);
  await page.goto(`${site}/runs/2?q=folded`);
  await loads(page, () => page.locator("[data-open]").first().click());
  await loads(page, () => page.getByRole("link", { name: "Compare with run 1" }).click());
  assert.match(page.url(), /case=folded/);
  await page.locator("#case ~ .three").first().waitFor();
  await page.goto(`${site}/runs/1`);
  assert.equal(await page.locator("[data-compare]").count(), 0);
});

await test("the lanes join each pair and mark what differs", async (page) => {
  await page.goto(`${site}/runs/1/cases/4`);
  const lanes = page.locator("details[open] .lanes").first();
  assert.equal(await lanes.locator(".links path").count(), 3);
  assert.deepEqual(await lanes.locator(".lane").nth(1).locator("mark").allInnerTexts(), ["1"]);
  assert.equal(await lanes.locator(".card.alone").count(), 1);
  assert.equal(await lanes.locator(".card.group").count(), 2);
  assert.match(await lanes.locator(".card .time").first().innerText(), /250 ms/);
  // The lines meet the cards: what was computed is what the browser laid out.
  const off = await lanes.evaluate((root) => {
    const svg = root.querySelector(".links");
    const top = svg.getBoundingClientRect().top;
    const scale = svg.getBoundingClientRect().height / svg.viewBox.baseVal.height;
    const [path] = svg.querySelectorAll("path");
    const from = top + path.getPointAtLength(0).y * scale;
    const card = root.querySelector(".lane .card").getBoundingClientRect();
    return Math.abs(from - (card.top + card.height / 2));
  });
  assert.ok(off < 2, `the first line begins ${off} pixels off its card`);
});

await test("an evaluator's page has the settings that a run uses", async (page) => {
  await page.goto(`${site}/runs/1`);
  await loads(page, () => page.getByRole("link", { name: "settings" }).first().click());
  assert.match(await page.locator(".in-use code").innerText(), /^trajectory,threshold=0\.8$/);
  await accessible(page);
  await loads(page, () => page.keyboard.press("u"));
  assert.match(page.url(), /\/runs\/1$/);
});

await test("another site cannot read the history", async (page) => {
  const status = await new Promise((resolve, reject) => {
    http.get(site, { headers: { host: "evil.example" } }, (answer) => resolve(answer.statusCode)).on("error", reject);
  });
  assert.equal(status, 403);
  await page.goto(site);
});

await test("a run that goes on shows its cases as they come, and then what it came to", async (page) => {
  fs.writeFileSync(path.join(place, "live.yaml"), suite("/dev/stdin"));
  // What Node gives a process is a socket, which nobody can open by a name.
  const process = spawn("sh", ["-c", 'cat | "$0" run live.yaml --quiet --threads 1', rightcall], { cwd: place, env: still, stdio: ["pipe", "ignore", "inherit"] });
  const ended = new Promise((resolve) => process.on("exit", resolve));
  try {
    let fed = 0;
    const feed = () => {
      // Input is read in blocks of a mebibyte.
      const filler = "y".repeat(1 << 16);
      for (const it of many.slice(0, 40)) process.stdin.write(JSON.stringify({ ...it, id: `live-${fed += 1}`, input: filler }) + "\n");
    };
    await page.goto(site);
    const soFar = async () => Number(((await page.locator("h1").innerText()).match(/^Running: (\d+) cases so far, \d+ failed$/) ?? [])[1] ?? 0);
    for (let left = 60; (await page.locator(".running a").count()) === 0; left -= 1) {
      assert.ok(left > 0, "the run is in no list");
      feed();
      await page.waitForTimeout(400);
      await page.reload();
    }
    await accessible(page);
    await loads(page, () => page.locator(".running a").click());
    const first = await soFar();
    assert.ok(first > 0, await page.locator("h1").innerText());
    assert.match(await page.locator(".cases .why").first().innerText(), /missed|called|extra/);
    assert.equal(await page.locator("section[aria-labelledby=evaluators] tbody tr").count(), 3);
    await screenshot(page, "live-light");
    await fits(page);
    await accessible(page);
    // More cases appear by themselves.
    for (let left = 30; (await soFar()) <= first; left -= 1) {
      assert.ok(left > 0, "it stands still");
      feed();
      await page.waitForTimeout(1100);
    }
    await loads(page, () => page.locator("[data-open]").first().click());
    assert.match(await page.locator("h1").innerText(), /^live-/);
    await page.locator("details.evaluation[open] .lanes").waitFor();
    await loads(page, () => page.keyboard.press("u"));
    process.stdin.end();
    assert.equal(await ended, 1);
    await page.locator("#by-q").waitFor();
    assert.match(await page.locator("h1").innerText(), /gates? (is|are) missed|gates hold/);
    assert.ok((await total(page)) >= first);
  } finally {
    process.kill();
  }
});

await browser.close();
server.kill();
fs.rmSync(place, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
