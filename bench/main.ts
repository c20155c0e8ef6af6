import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { renderResults, renderSection } from "./report.ts";
import { runScenario, say } from "./scenario.ts";
import { bridge } from "./scenarios/bridge.ts";
import { httpCalls, stdioCalls } from "./scenarios/calls.ts";
import { catalogCost } from "./scenarios/catalog.ts";
import { coldStart } from "./scenarios/cold-start.ts";
import { fanOut } from "./scenarios/fan-out.ts";
import { hub } from "./scenarios/hub.ts";
import { instances } from "./scenarios/instances.ts";
import { largeCalls } from "./scenarios/large-calls.ts";
import { orders } from "./scenarios/orders.ts";
import { pace } from "./scenarios/pace.ts";
import { relay } from "./scenarios/relay.ts";
import { sessions } from "./scenarios/sessions.ts";
import { sleeping } from "./scenarios/sleeping.ts";
import { up } from "./scenarios/up.ts";
import { version } from "./scenarios/version.ts";
import type { Section } from "./section.ts";

const scenarios = [
  coldStart,
  orders,
  version,
  up,
  sleeping,
  stdioCalls,
  httpCalls,
  sessions,
  largeCalls,
  catalogCost,
  fanOut,
  relay,
  pace,
  hub,
  bridge,
  instances,
];
const names = scenarios.map(({ name }) => name);
const root = path.join(import.meta.dirname, "..");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    quick: { type: "boolean", default: false },
    "no-build": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const wanted = values.only?.split(",") ?? names;
const unknown = wanted.find((name) => !names.includes(name));
if (values.help || unknown !== undefined) {
  say(`node bench/main.ts [--only ${names.join(",")}] [--quick] [--no-build]`);
  process.exit(unknown === undefined ? 0 : 2);
}

if (positionals.includes("tokens")) {
  const { measureTokens } = await import("./tokens/measure-tokens.ts");
  const found = await measureTokens();
  console.log(renderSection(found));
  process.exit(found.missed === 0 ? 0 : 1);
}

if (!values["no-build"]) execFileSync(process.execPath, ["scripts/build.ts"], { cwd: root, stdio: "inherit" });
const [startLoad = 0] = loadavg();
if (startLoad > 1) say(`The load average is ${startLoad.toFixed(1)}: numbers from a busy machine say little.`);

const sections: Section[] = [];
for (const scenario of scenarios.filter(({ name }) => wanted.includes(name))) {
  say(`${scenario.name} …`);
  for (const found of await runScenario(scenario, { quick: values.quick })) {
    sections.push(found);
    console.log(renderSection(found));
  }
}

const missed = sections.reduce((total, section) => total + section.missed, 0);
console.log(missed === 0 ? "Every bar is met." : `${missed} bars are missed.`);
if (values.quick || wanted.length < names.length) {
  say("A short or partial run: bench/RESULTS.md is left as it is.");
} else {
  writeFileSync(path.join(root, "bench", "RESULTS.md"), `${renderResults(sections, startLoad).trimEnd()}\n`);
}
process.exit(missed === 0 ? 0 : 1);
