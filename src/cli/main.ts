#!/usr/bin/env node
import { readVersion } from "../core/version.ts";

const argv = process.argv.slice(2);

// Answered before anything else is loaded: scripts call it often, and it should take little longer than Node itself.
if (argv.length === 1 && argv[0] === "--version") {
  process.stdout.write(`${readVersion()}\n`);
} else {
  const { start } = await import("./start.ts");
  process.exitCode = await start(argv);
  // A reader that never reads the rest of our output must not keep this process alive.
  setTimeout(() => process.exit(), 1000).unref();
}
