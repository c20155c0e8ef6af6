#!/usr/bin/env node
import { createRequire } from "node:module";
import { readVersion } from "../core/version.ts";
import { openCompiledParts } from "./compiled-parts.ts";
import type * as Start from "./start.ts";

const argv = process.argv.slice(2);

// Answered before anything else is loaded: scripts call it often, and it should take little longer than Node itself.
if (argv.length === 1 && argv[0] === "--version") {
  process.stdout.write(`${readVersion()}\n`);
} else {
  const { start } = import.meta.url.endsWith(".ts") ? await import("./start.ts") : loadBuilt();
  process.exitCode = await start(argv);
  // A reader that never reads the rest of our output must not keep this process alive.
  setTimeout(() => process.exit(), 1000).unref();
}

/** Compiled code is kept inside the package: a user who can write there can change the code itself. */
function loadBuilt(): typeof Start {
  const { dirname, url } = import.meta;
  const cache = `${dirname}/../../.cache/code/${process.version}-${process.arch}`;
  const load = openCompiledParts(dirname, cache, (name) => createRequire(url)(name));
  return load("./start.cjs") as typeof Start;
}
