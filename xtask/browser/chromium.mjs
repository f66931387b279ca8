// Starts the browser for the tests.

import fs from "node:fs";
import sparticuz from "@sparticuz/chromium";
import { chromium } from "playwright-core";

/// Launches the browser.
export async function launch() {
  try {
    return await chromium.launch({ executablePath: await sparticuz.executablePath(), args: ["--no-sandbox", "--disable-gpu"] });
  } catch (error) {
    // If the system lacks libraries for the downloaded browser, an installed one has them.
    const installed = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((it) => fs.existsSync(it));
    if (!installed) throw error;
    return chromium.launch({ executablePath: installed, args: ["--no-sandbox"] });
  }
}
