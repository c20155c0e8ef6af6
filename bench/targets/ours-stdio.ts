import { openHome } from "../../src/core/files/home.ts";
import { silentLog } from "../../src/core/log.ts";
import { createMetrics } from "../../src/core/telemetry/metrics.ts";
import { createDoorOffer } from "../../src/doors/mcp/door-offer.ts";
import { serveStdioDoor } from "../../src/doors/mcp/stdio-door.ts";
import { createBenchCatalog } from "./bench-source.ts";
import { openGuard } from "./open-guard.ts";

const home = await openHome(process.env["CLAWPORT_HOME"]!);
await serveStdioDoor({
  offer: createDoorOffer({
    view: createBenchCatalog().view("all"),
    guard: openGuard(home, createMetrics()),
    door: "mcp-stdio",
    info: { name: "clawport", version: "0" },
    log: silentLog,
  }),
  log: silentLog,
  input: process.stdin,
  output: process.stdout,
});
process.exit(0);
