#!/usr/bin/env node
import module from "node:module";
import { readVersion } from "../core/version.ts";

const argv = process.argv.slice(2);

// Answered before anything else is loaded: scripts call it often, and it should take little longer than Node itself.
if (argv.length === 1 && argv[0] === "--version") {
  process.stdout.write(`${readVersion()}\n`);
} else {
  // Compiled code is kept inside the package: a user who can write there can change the code itself. A Node that is too
  // old for it gets its message from `start`.
  module.enableCompileCache?.(`${import.meta.dirname}/../../.cache/code`);
  const { start } = await import("./start.ts");
  process.exitCode = await start(argv);
  // A reader that never reads the rest of our output must not keep this process alive.
  setTimeout(() => process.exit(), 1000).unref();
}
