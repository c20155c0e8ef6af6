#!/usr/bin/env node
import { readVersion } from "../core/version.ts";

const argv = process.argv.slice(2);

// Answered before anything else is loaded: scripts ask for it often, and it must cost little more than Node itself.
if (argv.length === 1 && argv[0] === "--version") {
  process.stdout.write(`${readVersion()}\n`);
} else {
  const { start } = await import("./start.ts");
  process.exitCode = await start(argv);
  // Whoever was given our last words and never reads them must not keep us here.
  setTimeout(() => process.exit(), 1000).unref();
}
