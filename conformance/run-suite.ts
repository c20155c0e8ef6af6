import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import path from "node:path";
import { Fault } from "../src/core/fault.ts";
import { expectFailures, type ExpectedFailures } from "./expect-failures.ts";
import { hubFailures } from "./hub/expected-failures.ts";
import { installPackage } from "./install-package.ts";
import { readResults } from "./read-results.ts";
import type { ScenarioResult } from "./read-results.ts";

const patienceMs = 300_000;

/** One run of one version of the official runner, and how many checks must pass. */
export interface Suite {
  readonly title: string;
  readonly version: string;
  readonly args: readonly string[];
  readonly atLeast: number;
  /** A hub is in front of the fixture. */
  readonly throughHub?: boolean;
  /** The checks that must fail, and why; none unless given. */
  readonly expectedFailures?: ExpectedFailures;
}

/** The same suite, without and with a hub in front of the server. */
export const directTitle = "0.2 all";
export const hubTitle = "0.2 all, hub";

export const suites: readonly Suite[] = [
  { title: "0.1.16 all", version: "0.1.16", args: ["--suite", "all"], atLeast: 44 },
  { title: directTitle, version: "0.2.0-alpha.12", args: ["--suite", "all"], atLeast: 275 },
  { title: "0.2 2025-11-25", version: "0.2.0-alpha.12", args: ["--requirements", "2025-11-25"], atLeast: 83 },
  { title: "0.2 2026-07-28", version: "0.2.0-alpha.12", args: ["--requirements", "2026-07-28"], atLeast: 196 },
  {
    title: hubTitle,
    version: "0.2.0-alpha.12",
    args: ["--suite", "all"],
    atLeast: 265,
    throughHub: true,
    expectedFailures: hubFailures,
  },
];

export async function runSuite(suite: Suite, url: string): Promise<readonly ScenarioResult[]> {
  const runner = await installPackage("@modelcontextprotocol/conformance", suite.version, "conformance");
  const folder = path.join(runner, "..", "..", "..", "results", suite.title.replaceAll(/\W+/g, "-"));
  await rm(folder, { recursive: true, force: true });
  const child = spawn(
    process.execPath,
    [path.join(runner, "dist", "index.js"), "server", "--url", url, "-o", folder, ...suite.args],
    { stdio: ["ignore", "ignore", "inherit"], timeout: patienceMs },
  );
  const [, signal] = await once(child, "exit");
  if (signal !== null) {
    throw new Fault("timeout", `The suite «${suite.title}» did not finish within ${patienceMs / 1000} s.`);
  }
  return expectFailures(await readResults(folder), suite.expectedFailures ?? {});
}
