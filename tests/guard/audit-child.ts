import { openAudit } from "../../src/catalog/audit/audit.ts";

/** Writes chained audit lines to the file, a few in every turn, from the moment on that the last argument names. */
const [, , file = "", name = "", count = "0", start = "0"] = process.argv;
while (Date.now() < Number(start)) await new Promise(setImmediate);
const audit = openAudit({ file, chain: true, maxBytes: 20_000, keep: 100 });
const call = { source: "s", verdict: "allow", why: "w", ms: 1, outcome: "ok", sizeIn: 1, sizeOut: 2 } as const;
for (let index = 0; index < Number(count); index++) {
  audit.record({ at: Date.now(), caller: { door: "cli", client: name }, tool: `${name}-${index}`, ...call });
  if (Math.random() < 0.3) await new Promise(setImmediate);
}
await audit.close();
