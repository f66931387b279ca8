// Shows a run in progress. It adds a run to the history, so it must come last.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { many, place, rightcall, still, suite } from "./history.mjs";
import { accessible, fits, loads, screenshot, site, test, total } from "./tester.mjs";

await test("a run that goes on shows its cases as they come, and then what it came to", async (page) => {
  fs.writeFileSync(path.join(place, "live.yaml"), suite("/dev/stdin"));
  // Node gives a child a socket as standard input, and a socket cannot be opened as /dev/stdin, so `cat` provides a pipe.
  const process = spawn("sh", ["-c", 'cat | "$0" run live.yaml --quiet --threads 1', rightcall], { cwd: place, env: still, stdio: ["pipe", "ignore", "inherit"] });
  const ended = new Promise((resolve) => process.on("exit", resolve));
  try {
    let fed = 0;
    const feed = () => {
      // Input is read in blocks of 1 MiB.
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
    // More cases appear without a reload.
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
    assert.match(await page.locator("h1").innerText(), /gates? failed · |gates hold/);
    assert.ok((await total(page)) >= first);
  } finally {
    process.kill();
  }
});
