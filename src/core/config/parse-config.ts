import { type Env, isHarmlessVariable } from "../process/child-env.ts";
import { Secret } from "../secrets/secret.ts";
import type { NamedSecret } from "../text/shown-text.ts";
import { checkAgentConfig } from "./agent-config.ts";
import { checkAppsConfig } from "./apps-config.ts";
import { findArgumentSecrets } from "../secrets/argument-secrets.ts";
import { checkValue, type ConfigFinding } from "./check-value.ts";
import { type ConfigPath, formatPath, pathKey } from "./config-path.ts";
import type { ConfigProblem } from "./config-problem.ts";
import { type Config, configSchema } from "./config-schema.ts";
import { migrateMachine } from "./machine-config.ts";
import { checkPolicyConfig } from "./policy-config.ts";
import { type Json5Document, Json5Fault, readJson5 } from "./json5/read-json5.ts";
import { checkServersConfig, inferTransport, reservedServerNames, type ServerConfig } from "./server-config.ts";
import { isReference, substituteEnv } from "./substitute-env.ts";

/** The secrets that are kept elsewhere: by their references, each with its value or why it has none. */
export interface ResolvedSecrets {
  readonly values: ReadonlyMap<string, string>;
  readonly problems: ReadonlyMap<string, string>;
}

export type ParsedConfig =
  | {
      readonly config: Config;
      readonly envNames: readonly string[];
      /** The secrets that are kept elsewhere, as it names them. */
      readonly references: readonly string[];
      /** What it took from the environment, except from variables that every process has, such as `HOME`. */
      readonly secrets: readonly NamedSecret[];
      /** Servers that are off because of their name, or a variable that is not set; the rest of the configuration is valid. */
      readonly waiting: readonly ConfigProblem[];
      /** Valid, but probably a mistake. */
      readonly warnings: readonly ConfigProblem[];
      readonly problems?: never;
    }
  | { readonly problems: readonly ConfigProblem[] };

/** The content of a configuration, or everything that is wrong with it, in the order of the file. */
export function parseConfig(text: string, env: Env, secrets?: ResolvedSecrets): ParsedConfig {
  try {
    return checkDocument(text, readJson5(text), env, secrets);
  } catch (error) {
    if (!(error instanceof Json5Fault)) throw error;
    return { problems: [{ path: "", ...toLine(text, error.offset), message: error.message }] };
  }
}

function checkDocument(
  text: string,
  document: Json5Document,
  env: Env,
  secrets: ResolvedSecrets | undefined,
): ParsedConfig {
  const filled = substituteEnv(document.value, env, secrets?.values);
  const { value, substituted, values, names, missing, references, broken } = filled;
  const checked = checkValue(configSchema, migrateMachine(inferTransport(value)), substituted);
  const unset = new Set(missing.map(({ path }) => pathKey(path)));
  const config = checked.value as Config;
  const findings: ConfigFinding[] = [
    ...document.repeated.map(({ path }) => ({ path, message: "is given twice" })),
    ...missing.map(({ path, name }) => ({
      path,
      message: `needs the environment variable ${name}, which is not set`,
      variable: name,
    })),
    ...references.flatMap(({ path, name }) => {
      const message = judgeReference(path, name, secrets);
      return message === undefined ? [] : [{ path, message, variable: name }];
    }),
    ...broken.map((path) => ({
      path,
      message: "has a ${ that does not begin a reference; write ${NAME}, or $$ for a plain $",
    })),
    ...checked.findings.filter(({ path }) => !unset.has(pathKey(path))),
  ];
  findings.push(...checkTogether(config, findings));
  const toProblems = (found: readonly ConfigFinding[]) => toProblemsIn(text, document, found);
  const problems = toProblems(findings);
  const isWaiting = ({ path, variable }: ConfigFinding) =>
    path[0] === "servers" && path.length > 1 && (variable !== undefined || isReserved(path));
  if (!findings.every(isWaiting)) return { problems };
  for (const { path } of findings) {
    if (isReserved(path)) delete config.servers[String(path[1])];
    else switchOff(config, String(path[1]));
  }
  for (const { path, ...found } of values) if (path[0] === "servers") noteSecret(config, String(path[1]), found);
  return {
    waiting: problems,
    warnings: toProblems([...checkPolicyConfig(config), ...findArgumentSecrets(document.value, values)]),
    config: config.debug ? { ...config, log: { ...config.log, level: "debug" } } : config,
    envNames: [...names],
    references: [...new Set(references.map(({ name }) => name))],
    secrets: values.flatMap(({ name, value: taken }) => (isHarmless(name) ? [] : [{ name, value: new Secret(taken) }])),
  };
}

/** Where findings are in the text of a valid configuration, in the order of the file. */
export function locateFindings(text: string, findings: readonly ConfigFinding[]): readonly ConfigProblem[] {
  return findings.length === 0 ? [] : toProblemsIn(text, readJson5(text), findings);
}

/** Skips parts that already have a finding. */
function checkTogether(config: Config, findings: readonly ConfigFinding[]): readonly ConfigFinding[] {
  const isSound = (part: string): boolean => !findings.some(({ path }) => path.length === 0 || path[0] === part);
  return [
    ...checkServersConfig(config, findings),
    ...(isSound("agent") ? checkAgentConfig(config.agent) : []),
    ...(isSound("apps") ? checkAppsConfig(config.apps) : []),
  ];
}

/** A name of our own must not keep the hub from starting: the file of another program may have had it. */
function isReserved(path: ConfigPath): boolean {
  return path.length === 2 && reservedServerNames.includes(String(path[1]));
}

/** A server whose API key is not set must not disable the others. */
function switchOff(config: Config, name: string): void {
  const server = config.servers[name];
  if (server !== undefined) config.servers[name] = { ...server, enabled: false };
}

function toProblemsIn(text: string, document: Json5Document, findings: readonly ConfigFinding[]): ConfigProblem[] {
  return findings.map((finding) => toProblem(text, document, finding)).sort(byPlace);
}

/** What a server got from the environment is masked in everything it prints. */
function noteSecret(config: Config, server: string, { name, value }: { name: string; value: string }): void {
  const settings: ServerConfig | undefined = config.servers[server];
  if (settings !== undefined && !isHarmless(name)) settings.secrets = [...(settings.secrets ?? []), new Secret(value)];
}

/** A place is no secret, unless it is the name of one. */
function isHarmless(name: string): boolean {
  return !isReference(name) && isHarmlessVariable(name);
}

/** What is wrong with a reference to a secret; undefined if it is good, or if secrets are not looked up here. */
function judgeReference(path: ConfigPath, name: string, secrets: ResolvedSecrets | undefined): string | undefined {
  const isInCommandLine =
    path[0] === "servers" ? path[2] === "command" || path[2] === "args" : path.includes("command");
  if (isInCommandLine)
    return `has the secret ${name}, which every user of this computer could read in \`ps\`; put it into \`env\``;
  const problem = secrets?.problems.get(name);
  return problem === undefined ? undefined : `needs the secret ${name}: ${problem}`;
}

function toProblem(text: string, document: Json5Document, finding: ConfigFinding): ConfigProblem {
  const { path, ...rest } = finding;
  return { path: formatPath(path), ...toLine(text, findOffset(document, path)), ...rest };
}

/** The offset of the key; of something missing, that of the object which lacks it. */
function findOffset(document: Json5Document, path: ConfigPath): number {
  const repeated = document.repeated.find((other) => pathKey(other.path) === pathKey(path));
  const place = document.places.get(pathKey(path));
  if (place !== undefined) return repeated?.offset ?? place.key;
  return path.length === 0 ? 0 : findOffset(document, path.slice(0, -1));
}

function toLine(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split(/\r\n|[\n\r]/);
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

function byPlace(a: ConfigProblem, b: ConfigProblem): number {
  return a.line - b.line || a.column - b.column;
}
