import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import path from "node:path";
import { installPackage } from "../install-package.ts";
import { readResults } from "../read-results.ts";
import type { ScenarioResult } from "../read-results.ts";
import type { ClientSuite } from "./client-suites.ts";

const patienceMs = 60_000;
const client = path.join(import.meta.dirname, "main.ts");

/** Makes the runner start our client against each of its servers, one after the other. */
export async function runClientSuite(suite: ClientSuite): Promise<readonly ScenarioResult[]> {
  const runner = await installPackage("@modelcontextprotocol/conformance", suite.version, "conformance");
  const folder = path.join(runner, "..", "..", "..", "results", `client-${suite.title.replaceAll(" ", "-")}`);
  await rm(folder, { recursive: true, force: true });
  const broken: ScenarioResult[] = [];
  for (const scenario of suite.scenarios) {
    const code = await runScenario(path.join(runner, "dist", "index.js"), suite, scenario, folder);
    if (code !== 0 && !isExpected(suite, scenario)) broken.push(brokenResult(scenario, code));
  }
  const results = await readResults(folder);
  return [...results.map((result) => withoutExpected(suite, result)), ...broken];
}

function isExpected({ expectedFailures = {} }: ClientSuite, scenario: string): boolean {
  return Object.hasOwn(expectedFailures, scenario);
}

/** An expected failure does not count. If it no longer fails, it must be removed from the list. */
function withoutExpected(suite: ClientSuite, result: ScenarioResult): ScenarioResult {
  if (!isExpected(suite, result.scenario)) return result;
  const reason = suite.expectedFailures?.[result.scenario];
  if (result.failed > 0)
    return { ...result, failed: 0, failures: [], complaints: [`EXPECTED ${result.scenario}: ${reason}`] };
  const complaint = `FAILURE ${result.scenario}: listed as expected to fail, but it passes`;
  return { ...result, failed: 1, complaints: [complaint] };
}

async function runScenario(
  runner: string,
  suite: ClientSuite,
  scenario: string,
  folder: string,
): Promise<number | null> {
  const command = [process.execPath, client].map((part) => `"${part}"`).join(" ");
  const versionFlags = suite.revision === undefined ? [] : ["--spec-version", suite.revision];
  const args = [runner, "client", "--command", command, "--scenario", scenario, "-o", folder, ...versionFlags];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"], timeout: patienceMs });
  // The runner prints every step here, which matters only if one failed.
  let told = "";
  child.stderr.on("data", (chunk: Buffer) => (told += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0 && !isExpected(suite, scenario)) process.stderr.write(told);
  return code;
}

/** The checks alone do not show that the client itself failed or did not finish. */
function brokenResult(scenario: string, code: number | null): ScenarioResult {
  const complaint = `FAILURE ${scenario}: the runner ended with ${code ?? "a signal"}`;
  return { scenario, passed: 0, failed: 1, warned: 0, failures: [], complaints: [complaint] };
}
