// Every page of the viewer and the HTML report, in light and dark mode, wide and narrow.

import assert from "node:assert/strict";
import http from "node:http";
import { SECRET, fileOf } from "./history.mjs";
import { accessible, fits, screenshot, site, test } from "./tester.mjs";

const pages = {
  runs: "/", run: "/runs/3", "hostile-run": "/runs/1", case: "/runs/3/cases/2", "hostile-case": "/runs/1/cases/1",
  "rtl-case": "/runs/1/cases/2", "long-case": "/runs/1/cases/3", "timed-case": "/runs/1/cases/4", "empty-case": "/runs/1/cases/5",
  compare: "/compare?run=1&run=2", "compare-case": "/compare?run=1&run=2&case=case-120", "compare-lanes": "/compare?run=1&run=2&case=folded", "compare-newly-failing": "/compare?run=1&run=2&show=newly-failing", "compare-graded": "/compare?run=9&run=10",
  "redacted-case": "/runs/6/cases/1",
  "run-after-runs": "/runs/5?tab=evaluators", "compare-three": "/compare?run=3&run=4&run=5", "run-causes": "/runs/3?tab=causes", "run-tools": "/runs/3?tab=tools", "run-coverage": "/runs/3?tab=coverage", "run-strength": "/runs/3?tab=strength", "run-trials": "/runs/3?tab=trials", "ways-case": "/runs/7/cases/1", "compare-ways": "/compare?run=7&run=8&case=ways", "evaluator-in-run": "/evaluators/trajectory?run=1", evaluators: "/evaluators", evaluator: "/evaluators/trajectory", missing: "/runs/99",
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
      // The browser itself logs a missing page as an error.
      await fits(page);
      await page.setViewportSize({ width: 390, height: 844 });
      if (["runs", "run", "case", "compare-case", "compare-lanes", "compare-newly-failing", "compare-graded", "run-causes", "run-tools", "run-coverage", "run-strength", "ways-case", "compare-ways"].includes(name)) await screenshot(page, `${name}-${colors}-narrow`);
      await fits(page);
      await accessible(page);
    }, colors);
  }
  for (const name of ["hostile", "example"]) {
    await test(`report ${name}, ${colors}`, async (page) => {
      await page.goto(fileOf(`${name}.html`));
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

await test("on a phone lists are cards, and reasons have the whole width", async (page) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const [address, row] of [["/runs/3", ".cases tbody th"], ["/compare?run=1&run=2", ".moved tbody th[scope=row]"], ["/compare?run=1&run=2", ".changes tbody th"]]) {
    await page.goto(site + address);
    const box = await page.locator(row).first().boundingBox();
    assert.ok(box.width > 300, `${address} ${row}: ${box.width}`);
    // Nothing is cut off on the right.
    const hidden = await page.locator(row).first().evaluate((it) => { const around = it.closest(".scroll"); return around.scrollWidth - around.clientWidth; });
    assert.ok(hidden <= 0, `${address} ${row}: ${hidden}`);
  }
  assert.match(await page.locator(".changes tbody tr").first().innerText(), /better/);
});

await test("the report reads aloud", async (page) => {
  await page.goto(fileOf("example.html"));
  assert.match(await page.locator("h1").innerText(), /3 of 3 gates hold · 42 cases/);
  assert.ok((await page.locator(".causes li").count()) >= 3);
});

await test("what is redacted is on no page", async (page) => {
  const addresses = ["/", "/runs/6", "/runs/6/cases/1", "/runs/6?q=sesame", "/compare?run=6&run=6"].map((it) => site + it);
  for (const address of [...addresses, fileOf("secret.html")]) {
    await page.goto(address);
    const html = (await page.content()).replace(/q=sesame|value="sesame"|text: sesame/g, "");
    assert.ok(!html.includes(SECRET), address);
  }
  await page.goto(`${site}/runs/6/cases/1`);
  assert.match(await page.locator("main").innerText(), /\[redacted 1\]/);
  await page.goto(`${site}/runs/6?q=sesame`);
  await page.getByText("No case is like that.").waitFor();
});

await test("another site cannot read the history", async (page) => {
  const status = await new Promise((resolve, reject) => {
    http.get(site, { headers: { host: "evil.example" } }, (answer) => resolve(answer.statusCode)).on("error", reject);
  });
  assert.equal(status, 403);
  await page.goto(site);
});
