// The browser that the tests drive.

import fs from "node:fs";
import sparticuz from "@sparticuz/chromium";
import { chromium } from "playwright-core";

/// Starts it.
export async function launch() {
  try {
    return await chromium.launch({ executablePath: await sparticuz.executablePath(), args: ["--no-sandbox", "--disable-gpu"] });
  } catch (error) {
    // Where the system lacks the libraries of that one, Debian's own has them.
    const installed = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((it) => fs.existsSync(it));
    if (!installed) throw error;
    return chromium.launch({ executablePath: installed, args: ["--no-sandbox"] });
  }
}
