#!/usr/bin/env node
// The command line; the program's name stands first, as in any command line.
process.exitCode = require("../dist/native.js").native.commandLine(["rightcall", ...process.argv.slice(2)]);
