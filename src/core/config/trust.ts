import { createHash } from "node:crypto";
import { Fault } from "../fault.ts";
import type { Home } from "../files/home.ts";
import { openStateFile, type StateFile } from "../files/state-file.ts";
import type { Log } from "../log.ts";
import { quoted } from "../peer-text.ts";
import type { ConfigLocation } from "./find-config.ts";
import type { LoadedConfig } from "./load-config.ts";

export interface TrustFacts {
  readonly location: ConfigLocation;
  /** What the configuration would do that a user may not expect; see `findRisks`. */
  readonly risks: readonly string[];
  readonly contentHash: string;
  readonly trustedHashes: ReadonlySet<string>;
}

export type TrustVerdict = { readonly pass: true } | { readonly pass: false; readonly reason: string };

/**
 * A configuration in the working folder comes with the folder, perhaps from a stranger's repository. One that was given
 * by `--config`, or that is in the state folder, was put there by its owner.
 */
export function judgeTrust({ location, risks, contentHash, trustedHashes }: TrustFacts): TrustVerdict {
  const isHarmless = risks.length === 0;
  if (location !== "working-folder" || isHarmless || trustedHashes.has(contentHash)) return { pass: true };
  const reason = `The configuration in this folder is new or changed, and ${risks.join("; ")}. Review it, then trust it with \`--trust\`.`;
  return { pass: false, reason };
}

/** Why a configuration of unknown origin should be reviewed first, as parts of a sentence. */
export function findRisks({ config, envNames }: LoadedConfig): readonly string[] {
  const servers = Object.values(config.servers);
  const { transcription } = config.agent;
  const { serve, allowedOrigins } = config.apps;
  const commands = [
    ...servers.flatMap(({ command }) => (command === undefined ? [] : [command])),
    ...(transcription?.command?.slice(0, 1) ?? []),
  ];
  const addresses = servers.flatMap(({ url }) => (url === undefined ? [] : [url]));
  // The content of such a file goes to the authorization server that the MCP server names.
  const files = servers.flatMap(({ auth }) => [auth?.assertionFile ?? [], auth?.idp?.idTokenFile ?? []].flat());
  const isLocal = ["127.0.0.1", "localhost", "::1"].includes(config.hub.host);
  const permits = config.policy?.preset === "open" || config.policy?.rules?.some(({ verdict }) => verdict === "allow");
  return [
    ...(commands.length > 0 ? [`it starts ${quotedList(commands)}`] : []),
    ...(envNames.length > 0 && addresses.length > 0
      ? [`it may send ${quotedList(envNames)} from your environment to servers`]
      : []),
    ...(files.length > 0 ? [`it sends the content of ${quotedList(files)} to servers`] : []),
    ...(isLocal && !config.hub.allowRemote ? [] : ["it opens the hub to other machines"]),
    ...(serve
      ? [`it lets apps${allowedOrigins.length > 0 ? ` and pages of ${quotedList(allowedOrigins)}` : ""} offer tools`]
      : []),
    ...(config.audit.enabled ? [] : ["it keeps no record of calls"]),
    ...(config.agent.model === undefined ? [] : ["it chooses the model that gets your orders"]),
    ...(transcription?.url === undefined ? [] : ["it chooses the service that gets the audio of your orders"]),
    ...(permits ? ["it lets tools run without asking"] : []),
  ];
}

/** By content: a changed file needs trust again, a copy in another folder does not. */
export function hashConfig({ raw }: Pick<LoadedConfig, "raw">): string {
  return createHash("sha256").update(raw).digest("hex");
}

export async function readTrusted(home: Home, log?: Log): Promise<ReadonlySet<string>> {
  return new Set((await openTrusted(home, log).read()).hashes);
}

export async function rememberTrust(home: Home, hash: string, log?: Log): Promise<void> {
  await openTrusted(home, log).update(({ hashes }) => ({ hashes: [...new Set([...hashes, hash])] }));
}

interface Trusted {
  readonly hashes: readonly string[];
}

function openTrusted(home: Home, log?: Log): StateFile<Trusted> {
  const path = home.file("trusted-configs.json");
  return openStateFile({ path, parse: parseTrusted, empty: { hashes: [] }, ...(log ? { log } : {}) });
}

function parseTrusted(value: unknown): Trusted {
  const hashes = typeof value === "object" && value !== null && "hashes" in value ? value.hashes : undefined;
  if (!Array.isArray(hashes) || !hashes.every((hash): hash is string => typeof hash === "string")) {
    throw new Fault("corrupt", "The list of trusted configurations is damaged.");
  }
  return { hashes };
}

function quotedList(words: readonly string[]): string {
  const shown = [...new Set(words)].slice(0, 5).map((word) => quoted(word, 80));
  return shown.join(", ") + (words.length > 5 ? ", …" : "");
}
