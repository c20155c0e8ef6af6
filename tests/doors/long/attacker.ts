import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../support/until.ts";
import { halfBody, sendHalf } from "../half-requests.ts";
import { createHubCaller } from "./call-hub.ts";

/**
 * `attacker.ts <port> <token>`: half-sent bodies, half-sent heads and slow calls, all of one token, until it is told to
 * stop. Whatever the hub closes or refuses is tried again.
 */
const port = Number(process.argv[2]);
const token = process.argv[3] ?? "";
const halfHead = `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\nx-pad: `;
const report = { halfBodies: 0, halfHeads: 0, slowCalls: 0, refusedCalls: 0 };
let isStopped = false;

process.on("disconnect", () => process.exit());
process.on("message", () => {
  isStopped = true;
  process.send?.(report, () => process.exit());
});
for (let n = 0; n < 260; n++) {
  void keepHalf(halfBody("/mcp", token), "halfBodies");
  void keepHalf(halfHead, "halfHeads");
}
for (let n = 0; n < 300; n++) void callSlowly();
await until(() => report.halfBodies >= 260 && report.halfHeads >= 260 && report.refusedCalls > 0);
process.send?.("begun");

/** One byte every 3 s keeps the request half-sent. */
async function keepHalf(text: string, name: "halfBodies" | "halfHeads"): Promise<void> {
  while (!isStopped) {
    using half = await sendHalf(port, text, 1);
    report[name]++;
    while (half.closed === 0 && !isStopped) {
      await sleep(3000);
      half.trickle();
    }
  }
}

async function callSlowly(): Promise<void> {
  using caller = createHubCaller(port, token);
  while (!isStopped) {
    const outcome = await caller.call("wait", { ms: 15_000 });
    if (outcome === "ok") report.slowCalls++;
    else {
      report.refusedCalls++;
      await sleep(1000 + Math.random() * 1000);
    }
  }
}
