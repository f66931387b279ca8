// Tests every page, filter and key of the viewer, and the HTML report, in a real browser.
//
//   node test.mjs PATH-OF-RIGHTCALL EXAMPLES FOLDER-FOR-SCREENSHOTS [PART-OF-A-TEST-NAME]

import { close } from "./tester.mjs";

// One after another, because they share the history.
for (const part of ["pages", "runs", "cases", "calls", "tasks", "keys", "comparisons", "live"]) await import(`./${part}.mjs`);
await close();
