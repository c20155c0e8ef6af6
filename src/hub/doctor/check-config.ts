import { isReference } from "../../core/config/substitute-env.ts";
import { type ConfigProblem, formatProblem } from "../../core/config/config-problem.ts";
import { toFault } from "../../core/fault.ts";
import { type ActiveConfig, isOff } from "../state/active-config.ts";
import type { DoctorFinding } from "./finding.ts";

/** The configuration, or why it can't be used. */
export type ConfigReading = { readonly active: ActiveConfig } | { readonly error: unknown };

/** `setVariable` is the command that sets a variable for the process that uses the configuration. */
export function checkConfig(
  reading: ConfigReading,
  missedRules: readonly ConfigProblem[],
  setVariable: (name: string) => string,
): DoctorFinding[] {
  if ("error" in reading) return findProblems(reading.error, setVariable);
  const { file } = reading.active;
  if (file === undefined) return [{ level: "ok", what: "no configuration file: the defaults apply" }];
  return [
    { level: "ok", what: `configuration ${file.path}` },
    ...[...file.waiting, ...file.warnings, ...missedRules].map((problem) =>
      findingOf("warn", file.path, problem, setVariable),
    ),
  ];
}

/** One finding per problem: you should not have to run the doctor once per mistake. */
function findProblems(error: unknown, setVariable: (name: string) => string): DoctorFinding[] {
  const fault = toFault(error);
  const { file, problems } = (fault.detail ?? {}) as { file?: string; problems?: readonly ConfigProblem[] };
  if (file === undefined || problems === undefined)
    return [{ level: "fail", what: fault.message, fix: "clawport config path" }];
  return problems.map((problem) => findingOf("fail", file, problem, setVariable));
}

function findingOf(
  level: DoctorFinding["level"],
  file: string,
  problem: ConfigProblem,
  setVariable: (name: string) => string,
): DoctorFinding {
  const { line, column, variable } = problem;
  const outcome = level === "warn" && variable !== undefined ? `: ${isOff}` : "";
  return {
    level,
    what: `${file}:${line}:${column} ${formatProblem(problem)}${outcome}`,
    fix: setSecret(variable, setVariable) ?? `\${EDITOR:-vi} +${line} ${JSON.stringify(file)}`,
  };
}

/** A reference is never a part of a command to run: a folder's configuration may have written it. */
function setSecret(variable: string | undefined, setVariable: (name: string) => string): string | undefined {
  if (variable === undefined) return undefined;
  if (!isReference(variable)) return setVariable(variable);
  const [, name] = /^keychain:([A-Za-z0-9][\w.-]*)$/.exec(variable) ?? [];
  return name && `clawport secret set ${name}`;
}

export function checkTrust(distrust: string | undefined): DoctorFinding[] {
  return distrust === undefined ? [] : [{ level: "warn", what: distrust, fix: "clawport up --trust" }];
}
