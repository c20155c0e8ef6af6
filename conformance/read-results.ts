import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

/** One check of a scenario, as the runner writes it. */
interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly description: string;
  readonly errorMessage?: string;
}

export interface ScenarioResult {
  readonly scenario: string;
  readonly passed: number;
  readonly failed: number;
  readonly warned: number;
  /** The ids of the checks that failed. */
  readonly failures: readonly string[];
  /** One line for each check that failed or warned. */
  readonly complaints: readonly string[];
}

/** Reads the result files of the runner, one folder per scenario. Its exit code says little. */
export async function readResults(folder: string): Promise<readonly ScenarioResult[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => stamp.test(name));
  return Promise.all(names.sort().map((name) => readScenario(folder, name)));
}

/** What the runner appends to the name of a scenario. Some names are paths. */
const stamp = /-\d{4}-\d\d-\d\dT[\d-]+Z$/;

async function readScenario(folder: string, name: string): Promise<ScenarioResult> {
  const scenario = name
    .replaceAll(path.sep, "/")
    .replace(/^server-/, "")
    .replace(stamp, "");
  const checks = await readChecks(path.join(folder, name, "checks.json"));
  const count = (status: Check["status"]) => checks.filter((check) => check.status === status).length;
  return {
    scenario,
    passed: count("SUCCESS"),
    failed: count("FAILURE"),
    warned: count("WARNING"),
    failures: checks.filter(({ status }) => status === "FAILURE").map(({ id }) => id),
    complaints: checks
      .filter(({ status }) => status === "FAILURE" || status === "WARNING")
      .map(
        ({ status, id, errorMessage, description }) => `${status} ${scenario}/${id}: ${errorMessage ?? description}`,
      ),
  };
}

async function readChecks(file: string): Promise<readonly Check[]> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    // The runner creates the folder first, and writes no file if the scenario itself crashed.
    return [{ id: "scenario", status: "FAILURE", description: `The scenario left no results (${String(error)})` }];
  }
}
