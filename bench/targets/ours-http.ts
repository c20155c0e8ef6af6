import { readFileSync } from "node:fs";
import { openHome } from "../../src/core/files/home.ts";
import { silentLog } from "../../src/core/log.ts";
import { createMetrics } from "../../src/core/telemetry/metrics.ts";
import { openHttpDoor } from "../../src/doors/mcp/http-door.ts";
import { openTokens } from "../../src/doors/mcp/tokens.ts";
import { createBenchCatalog } from "./bench-source.ts";
import { openGuard } from "./open-guard.ts";

const home = await openHome(process.env["CLAWPORT_HOME"]!);
const metrics = createMetrics();
const tokens = await openTokens({ home, env: process.env, log: silentLog });
const door = await openHttpDoor({
  host: "127.0.0.1",
  port: 0,
  catalog: createBenchCatalog(),
  guard: openGuard(home, metrics),
  tokens,
  info: { name: "clawport", version: "0" },
  log: silentLog,
  metrics,
});
const token = readFileSync(tokens.path, "utf8").trim();
process.stdout.write(`${JSON.stringify({ port: door.port, path: "/mcp", token })}\n`);
