import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Fault } from "../../fault.ts";
import type { Home } from "../../files/home.ts";
import { openStateFile, type StateFile } from "../../files/state-file.ts";
import { isRecord } from "../../is-record.ts";
import type { Log } from "../../log.ts";
import { quoted } from "../../text/peer-text.ts";
import { shownWords } from "../../text/shown-text.ts";
import type { ConfigLocation } from "../find-config.ts";
import type { LoadedConfig } from "../load-config.ts";
import { commandsOf, type FileHashes, hashRunFiles, type StartedCommand } from "./run-files.ts";
import { isSameJson } from "../../is-same-json.ts";

/** What the user trusts: this text, in this folder, with these files. */
export interface ConfigIdentity {
  /** The real path of its folder, and its name. The folder counts, since commands run there. */
  readonly path: string;
  /** Hash of the text. */
  readonly content: string;
  /** The files in the folder that it runs. */
  readonly files: FileHashes;
}

export interface TrustFacts {
  /** What the configuration would do that a user may not expect; see `findRisks`. */
  readonly risks: readonly string[];
  readonly identity: ConfigIdentity;
  readonly trusted: TrustedConfigs;
}

export type TrustVerdict =
  | { readonly pass: true }
  | {
      readonly pass: false;
      /** On one line. */
      readonly reason: string;
      /** The same in lines, for a person who is asked. */
      readonly question: string;
    };

/**
 * A configuration in the working folder comes with the folder, perhaps from a stranger's repository. One that was given
 * by `--config`, or that is in the state folder, is its owner's word.
 */
export function needsTrust(location: ConfigLocation, risks: readonly string[]): boolean {
  return location === "working-folder" && risks.length > 0;
}

/** For a configuration that needs trust. */
export function judgeTrust({ risks, identity, trusted }: TrustFacts): TrustVerdict {
  const why = findDoubt(identity, trusted);
  if (why === undefined) return { pass: true };
  const names = Object.keys(identity.files).map((file) => shownWords([file]));
  const review = `Review ${["it", ...names].join(", ")}, then trust it with \`--trust\`.`;
  return {
    pass: false,
    reason: `${why}. If you use this configuration, ${risks.join("; ")}. ${review}`,
    question: [`${why}. If you use this configuration,`, ...risks.map((risk) => `- ${risk}`), review].join("\n"),
  };
}

/** Why what was trusted so far does not cover this; undefined if it does. */
function findDoubt({ path, content, files }: ConfigIdentity, { configs, hashes }: TrustedConfigs): string | undefined {
  const here = configs.filter((config) => config.path === path);
  const changes = here
    .filter((config) => config.content === content)
    .map((config) => Object.keys(files).filter((file) => config.files[file] !== files[file]));
  if (changes.some((changed) => changed.length === 0)) return undefined;
  const changed = changes.at(-1);
  if (changed !== undefined) {
    const names = changed.map((file) => quoted(file)).join(", ");
    return `${names} ${changed.length === 1 ? "has" : "have"} changed since you trusted it`;
  }
  if (here.length > 0) return "The configuration in this folder has changed since you trusted it";
  if (hashes.includes(content)) return "You trusted this text before, but not for this folder and the files it runs";
  const other = configs.find((config) => config.content === content);
  if (other !== undefined) return `You trusted the same text in ${quoted(dirname(other.path))}, but not in this folder`;
  return "The configuration in this folder is new";
}

/** `commands` are those that are about to start; by default all that the configuration has. */
export async function identifyConfig(
  { path, raw, config }: Pick<LoadedConfig, "path" | "raw" | "config">,
  commands: readonly StartedCommand[] = commandsOf(config),
): Promise<ConfigIdentity> {
  const folder = await realpath(dirname(path));
  return {
    path: join(folder, basename(path)),
    content: createHash("sha256").update(raw).digest("hex"),
    files: await hashRunFiles([folder, dirname(path)], commands),
  };
}

/** What the user has trusted so far. */
export interface TrustedConfigs {
  /** Trust by content alone, as it was once remembered. It only explains why the user is asked again. */
  readonly hashes: readonly string[];
  readonly configs: readonly ConfigIdentity[];
}

export function readTrusted(home: Pick<Home, "file">, log?: Log): Promise<TrustedConfigs> {
  return openTrusted(home, log).read();
}

const maxConfigs = 500;

export async function rememberTrust(home: Home, identity: ConfigIdentity, log?: Log): Promise<void> {
  const isOther = (config: ConfigIdentity): boolean => !isSameJson(config, identity);
  await openTrusted(home, log).update(({ hashes, configs }) => ({
    hashes,
    configs: [...configs.filter(isOther), identity].slice(-maxConfigs),
  }));
}

function openTrusted(home: Pick<Home, "file">, log?: Log): StateFile<TrustedConfigs> {
  const path = home.file("trusted-configs.json");
  return openStateFile({ path, parse: parseTrusted, empty: { hashes: [], configs: [] }, ...(log ? { log } : {}) });
}

function parseTrusted(value: unknown): TrustedConfigs {
  const { hashes = [], configs = [] } = isRecord(value) ? value : {};
  if (!Array.isArray(hashes) || !hashes.every(isText) || !Array.isArray(configs) || !configs.every(isIdentity))
    throw new Fault("corrupt", "The list of trusted configurations is damaged.");
  return { hashes, configs };
}

const isText = (value: unknown): value is string => typeof value === "string";

function isIdentity(value: unknown): value is ConfigIdentity {
  if (!isRecord(value) || !isText(value["path"]) || !isText(value["content"])) return false;
  return isRecord(value["files"]) && Object.values(value["files"]).every(isText);
}
