import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import path from "node:path";
import { installPackage } from "../install-package.ts";
import { readResults } from "../read-results.ts";
import type { ScenarioResult } from "../read-results.ts";

const patienceMs = 60_000;
const client = path.join(import.meta.dirname, "main.ts");

/** Scenarios of one version of the official runner for clients, and how many checks have to pass in them. */
export interface ClientSuite {
  readonly title: string;
  readonly version: string;
  /** The revision of the protocol the runner's servers speak, where it has a choice. */
  readonly revision?: string;
  readonly scenarios: readonly string[];
  readonly atLeast: number;
}

const ofSessions = ["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"];

/** All that are not about signing in. */
export const clientSuites: readonly ClientSuite[] = [
  { title: "0.1.16", version: "0.1.16", scenarios: ofSessions, atLeast: 10 },
  {
    title: "0.2 2025-11-25",
    version: "0.2.0-alpha.12",
    revision: "2025-11-25",
    scenarios: [...ofSessions, "json-schema-2020-12-preservation"],
    atLeast: 20,
  },
  {
    title: "0.2 2026-07-28",
    version: "0.2.0-alpha.12",
    revision: "2026-07-28",
    scenarios: [
      "tools_call",
      "request-metadata",
      "sep-2322-client-request-state",
      "http-standard-headers",
      "http-custom-headers",
      "http-invalid-tool-headers",
      "json-schema-ref-no-deref",
      "json-schema-2020-12-preservation",
    ],
    atLeast: 66,
  },
];

/** Has the runner start our client against each of its servers, one after the other. */
export async function runClientSuite(suite: ClientSuite): Promise<readonly ScenarioResult[]> {
  const runner = await installPackage("@modelcontextprotocol/conformance", suite.version, "conformance");
  const folder = path.join(runner, "..", "..", "..", "results", `client-${suite.title.replaceAll(" ", "-")}`);
  await rm(folder, { recursive: true, force: true });
  const broken: ScenarioResult[] = [];
  for (const scenario of suite.scenarios) {
    const code = await runScenario(path.join(runner, "dist", "index.js"), suite, scenario, folder);
    if (code !== 0) broken.push(brokenResult(scenario, code));
  }
  return [...(await readResults(folder)), ...broken];
}

async function runScenario(
  runner: string,
  { revision }: ClientSuite,
  scenario: string,
  folder: string,
): Promise<number | null> {
  const command = [process.execPath, client].map((part) => `"${part}"`).join(" ");
  const wishes = revision === undefined ? [] : ["--spec-version", revision];
  const args = [runner, "client", "--command", command, "--scenario", scenario, "-o", folder, ...wishes];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"], timeout: patienceMs });
  // It tells every step here, which is of interest only where one failed.
  let told = "";
  child.stderr.on("data", (chunk: Buffer) => (told += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) process.stderr.write(told);
  return code;
}

/** The checks alone do not tell that the client itself failed, or never came to its end. */
function brokenResult(scenario: string, code: number | null): ScenarioResult {
  const complaint = `FAILURE ${scenario}: the runner ended with ${code ?? "a signal"}`;
  return { scenario, passed: 0, failed: 1, warned: 0, complaints: [complaint] };
}
