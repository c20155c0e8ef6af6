import { hash } from "node:crypto";
import { type ConfigPath, pathKey } from "../../core/config/config-path.ts";
import type { ConfigProblem } from "../../core/config/config-problem.ts";
import type { FoundConfig } from "../../core/config/find-config.ts";
import { readConfigText as readText } from "../../core/config/load-config.ts";
import { readJson5 } from "../../core/config/json5/read-json5.ts";
import { codeOf, type Fault, toFault } from "../../core/fault.ts";
import { asRecord, isRecord } from "../../core/is-record.ts";
import { isHarmlessVariable } from "../../core/process/child-env.ts";
import type { World } from "../../core/process/world.ts";
import { isSecretArgument } from "../../core/secrets/redact-command-line.ts";
import { isSecretField, redactText } from "../../core/secrets/redact.ts";
import { mayBeSecret } from "../../core/secrets/secret-parts.ts";
import { loadNamedConfig } from "../state/load-named-config.ts";

export interface ConfigText extends FoundConfig {
  /** As it is written, with literal secrets masked. Absent if there is no file, or if it can't be masked safely. */
  readonly text?: string | undefined;
  /** Everything that is wrong with it, or that keeps a server off. */
  readonly problems: readonly ConfigProblem[];
  /** Of the file as it is, for `write`; that of an empty text if there is no file. */
  readonly hash: string;
}

/** The configuration as it is written, fit to be shown: `$NAME` stays as it is, literal secrets are masked. */
export async function readShownConfig({ path, location }: FoundConfig, env: World["env"]): Promise<ConfigText> {
  const raw = await readText(path).catch((error: Fault) => {
    if (codeOf(error.cause) === "ENOENT") return undefined;
    throw error;
  });
  const place = { path, location, hash: hashConfig(raw ?? "") };
  if (raw === undefined) return { ...place, problems: [] };
  return { ...place, text: maskConfig(raw), problems: await findProblems({ path, location }, raw, env) };
}

/** Names a text of the configuration, so that no one overwrites another than they saw. */
export function hashConfig(text: string): string {
  return hash("sha256", text);
}

export async function findProblems(
  { path, location }: FoundConfig,
  text: string,
  env: World["env"],
): Promise<readonly ConfigProblem[]> {
  const problems = await loadNamedConfig({ path, env, text }, location).then(
    ({ waiting, warnings }) => [...waiting, ...warnings],
    (error: unknown) => {
      const { detail, message } = toFault(error);
      const found = asRecord(detail)["problems"] as readonly ConfigProblem[] | undefined;
      return found ?? [{ path: "", line: 1, column: 1, message }];
    },
  );
  return problems.map((problem) => ({ ...problem, message: redactText(problem.message) }));
}

const mask = "[redacted]";
const literal = JSON.stringify(mask);

/** Undefined if the text is not valid JSON5, or has a key twice: then it is not known where every value is. */
export function maskConfig(text: string): string | undefined {
  const document = tryRead(text);
  if (document === undefined || document.repeated.length > 0) return undefined;
  const edits = [...findSecrets(document.value, [], false)].map(({ path, shown }) => {
    const place = document.places.get(pathKey(path));
    return { from: place?.value ?? 0, to: place?.end ?? 0, shown };
  });
  const masked = edits
    .toSorted((a, b) => b.from - a.from)
    .reduce((all, { from, to, shown }) => all.slice(0, from) + shown + all.slice(to), text);
  return maskComments(masked);
}

function tryRead(text: string): ReturnType<typeof readJson5> | undefined {
  try {
    return readJson5(text);
  } catch {
    return undefined;
  }
}

export interface MaskedValue {
  readonly path: ConfigPath;
  /** What to show instead, as JSON. */
  readonly shown: string;
}

/** Values that must not be shown; `isSecret` says that everything in here is. */
export function* findSecrets(value: unknown, path: ConfigPath, isSecret: boolean): Generator<MaskedValue> {
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    const isCommandLine = ["args", "command"].includes(String(path.at(-1)));
    for (const [index, item] of list.entries()) {
      const before = list[index - 1];
      const isArgument = isCommandLine && typeof item === "string" && isSecretArgument(asText(before), braced(item));
      yield* findSecrets(item, [...path, index], isSecret || isArgument);
    }
  } else if (isRecord(value)) {
    // Any header may be a key, whatever its name, and any variable, unless its name says that it is a place.
    const areHeaders = path.at(-1) === "headers";
    const areVariables = path.at(-1) === "env";
    for (const [key, item] of Object.entries(value)) {
      const isUnnamed = areHeaders || (areVariables && !isHarmlessVariable(key));
      yield* findSecrets(item, [...path, key], isSecret || isUnnamed || isSecretField(key, item));
    }
  } else if (typeof value === "string") {
    const shown = isSecret ? maskSecret(value) : maskPlain(value, path.at(-1) === "url");
    if (shown !== value) yield { path, shown: JSON.stringify(shown) };
  } else if (isSecret && typeof value === "number") yield { path, shown: literal };
}

/** Names of the environment alone, perhaps after the name of a scheme: `Bearer $TOKEN`. */
const references = /^(?:(?:Bearer|Basic|Token) +)?(?:\$[A-Za-z_]\w*|\$\{[A-Za-z_]\w*\})+$/i;

function maskSecret(text: string): string {
  return text === "" || references.test(text) ? text : mask;
}

function maskPlain(text: string, isAddress: boolean): string {
  if (references.test(text)) return text;
  const [, address = "", query = ""] = /^([^?#]*)([^]*)$/.exec(text) ?? [];
  if (isAddress && query !== "")
    return maskPlain(address, false) + query.replaceAll(/([^?&#=]+)=([^&#]+)/g, maskParameter);
  const plain = braced(text);
  const shown = redactText(plain);
  if (shown === plain) return text;
  // It also shortens what is very long.
  return text.length > shown.length && shown.endsWith(" characters)") ? mask : shown;
}

/** What names and looks like an ordinary word is shown: `?transport=sse`. */
function maskParameter(text: string, key: string, value: string): string {
  return mayBeSecret(key, value) ? `${key}=${maskSecret(value)}` : text;
}

/** `$NAME` as `${NAME}`, which redaction knows for a reference. */
function braced(text: string): string {
  return text.replaceAll(/\$([A-Za-z_]\w*)/g, "${$1}");
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export const stringOrComment = /"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|\/\/[^\n\r\u2028\u2029]*|\/\*[^]*?\*\//g;
/** A setting that was commented out. */
const commentedSetting = /([\w-]+)(["']?\s*[:=]\s*)("[^"]*"|'[^']*'|[^\s,}\]]+)/g;

function maskComments(text: string): string {
  return text.replaceAll(stringOrComment, (part) => {
    return part.startsWith("/") ? maskComment(part) : part;
  });
}

export function maskComment(comment: string): string {
  return redactText(comment).replaceAll(commentedSetting, (all, name: string, sign: string, value: string) => {
    const content = value.replaceAll(/^["']|["']$/g, "");
    const isShown = references.test(content) || content.startsWith("[redacted");
    return isSecretField(name, content) && !isShown ? `${name}${sign}${literal}` : all;
  });
}
