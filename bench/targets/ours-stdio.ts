import { silentLog } from "../../src/core/log.ts";
import { serveStdioDoor } from "../../src/doors/mcp/stdio-door.ts";
import { createBenchCatalog } from "./bench-source.ts";

await serveStdioDoor({
  view: createBenchCatalog().view("all"),
  guard: { call: (tool, args, context) => tool.source.call(tool.tool.name, args, context) },
  info: { name: "clawport", version: "0" },
  log: silentLog,
  input: process.stdin,
  output: process.stdout,
});
