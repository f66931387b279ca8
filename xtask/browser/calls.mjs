// One case: its evaluators, its calls side by side, and its expectation.

import assert from "node:assert/strict";
import { fileOf } from "./history.mjs";
import { loads, site, test } from "./tester.mjs";

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

await test("the lanes join each pair and mark what differs", async (page) => {
  await page.goto(`${site}/runs/1/cases/4`);
  const lanes = page.locator("details[open] .lanes").first();
  assert.equal(await lanes.locator(".links path").count(), 3);
  assert.deepEqual(await lanes.locator(".lane").nth(1).locator("mark").allInnerTexts(), ["1"]);
  assert.equal(await lanes.locator(".card.alone").count(), 1);
  assert.equal(await lanes.locator(".card.group").count(), 2);
  assert.match(await lanes.locator(".card .time").first().innerText(), /250 ms/);
  // The connecting lines must end at the cards that the browser laid out.
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

await test("an expectation with several right ways is a tree beside the lanes of the way that was taken", async (page) => {
  const tree = page.locator(".expectation").first();
  for (const address of [`${site}/runs/7/cases/1`, fileOf("ways-5.html")]) {
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
