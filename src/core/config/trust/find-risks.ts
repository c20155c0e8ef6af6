import { isLoopbackHost } from "../../http/addresses.ts";
import { isRecord } from "../../is-record.ts";
import { shownText, shownWords } from "../../text/shown-text.ts";
import { cageText } from "../sandbox-config.ts";
import type { Config } from "../config-schema.ts";
import type { LoadedConfig } from "../load-config.ts";
import type { ServerConfig } from "../server-config.ts";

/**
 * Why a configuration of unknown origin should be reviewed first, as parts of a sentence: what it starts, sends or opens.
 * What it says about `policy` and `audit` is no risk, since it can't loosen the owner's (`mergeConfigs`). Commands,
 * variables and addresses are whole, and as the file has them: with `$NAME` for what comes from the environment.
 */
export function findRisks(
  { config, envNames, references = [] }: Pick<LoadedConfig, "config" | "envNames" | "references">,
  written: unknown,
): string[] {
  const servers = Object.values(config.servers);
  const asWritten = Object.entries(config.servers).map(([name, server]) => ({
    ...server,
    ...partAt(written, "servers", name),
    cage: sandboxText(server),
  }));
  const started = [...asWritten, transcriptionAsWritten(config, written)].flatMap((each) =>
    typeof each?.command === "string" ? [commandText({ ...each, command: each.command })] : [],
  );
  const embeddings = { ...config.catalog.embeddings, ...partAt(written, "catalog", "embeddings") };
  const addresses = [...asWritten, embeddings].flatMap(({ url }) => (typeof url === "string" ? [url] : []));
  // The content of such a file goes to the authorization server that the MCP server names.
  const files = servers.flatMap(({ auth }) => [auth?.assertionFile ?? [], auth?.idp?.idTokenFile ?? []].flat());
  return [
    ...new Set(started.map((text) => `it starts ${text}`)),
    ...(addresses.length > 0 ? [`it connects to ${quotedList(addresses)}`] : []),
    ...(envNames.length > 0 && addresses.length > 0
      ? [`it may send ${quotedList(envNames)} from your environment to servers`]
      : []),
    ...(references.length > 0 ? [`it gives your secrets ${quotedList(references)} to servers`] : []),
    ...(files.length > 0 ? [`it sends the content of ${quotedList(files)} to servers`] : []),
    ...(config.catalog.embeddings === undefined
      ? []
      : ["it chooses the model that gets the definitions of your tools and what is searched for"]),
    ...findHubRisks(config),
    ...findAppRisks(config),
    ...findAgentRisks(config),
  ];
}

function findHubRisks({ hub }: Config): string[] {
  return [
    ...(isLoopbackHost(hub.host) && !hub.allowRemote ? [] : ["it opens the hub to other machines"]),
    ...(hub.publicUrl === undefined ? [] : [`it says that the hub is at ${shownWords([hub.publicUrl])}`]),
  ];
}

function findAppRisks({ apps }: Config): string[] {
  const { serve, host, publicUrl, allowedHosts, allowedOrigins } = apps;
  if (!serve) return [];
  const isLocal = isLoopbackHost(host) && publicUrl === undefined && allowedHosts.length === 0;
  return [
    `it lets apps${allowedOrigins.length > 0 ? ` and pages of ${quotedList(allowedOrigins)}` : ""} offer tools`,
    ...(isLocal ? [] : ["it opens the app proxy to other machines"]),
  ];
}

function findAgentRisks({ agent }: Config): string[] {
  const { backend, id, model, transcription, sampling } = agent;
  return [
    ...(backend === "auto" && id === "main" ? [] : ["it chooses the agent that gets your orders"]),
    ...(model === undefined ? [] : ["it chooses the model that gets your orders"]),
    ...(transcription?.url === undefined ? [] : ["it chooses the service that gets the audio of your orders"]),
    ...(sampling === undefined ? [] : ["it lets servers use your model"]),
  ];
}

/** A part of the file as it is written, before substitution. */
function partAt(written: unknown, ...keys: readonly string[]): Readonly<Record<string, unknown>> {
  const part = keys.reduce((within: unknown, key) => (isRecord(within) ? within[key] : undefined), written);
  return isRecord(part) ? part : {};
}

function transcriptionAsWritten({ agent }: Config, written: unknown) {
  const { command, env } = { ...agent.transcription, ...partAt(written, "agent", "transcription") };
  const [program, ...args] = textsOf(command);
  return { command: program, args, env };
}

interface WrittenCommand {
  readonly command: string;
  readonly args?: unknown;
  readonly env?: unknown;
  readonly cwd?: unknown;
  /** What is said about its cage. */
  readonly cage?: string | undefined;
}

function commandText({ command, args, env, cwd, cage }: WrittenCommand): string {
  const variables = Object.entries(isRecord(env) ? env : {}).map(
    ([name, value]) => `${shownText(name)}=${shownWords([String(value)])}`,
  );
  return [
    shownWords([command, ...textsOf(args)]),
    ...(variables.length > 0 ? [`with ${variables.join(" ")}`] : []),
    ...(typeof cwd === "string" ? [`in ${shownWords([cwd])}`] : []),
    ...(cage === undefined ? [] : [cage]),
  ].join(" ");
}

/** What the folder gives to its command beyond a cage; undefined if that is nothing. */
function sandboxText({ sandbox, pidNamespace }: ServerConfig): string | undefined {
  if (sandbox === "off" || pidNamespace === "off") return "without a sandbox";
  return typeof sandbox === "object" ? `in a sandbox that ${shownText(cageText(sandbox, ""))}` : undefined;
}

const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

function quotedList(words: readonly string[]): string {
  return [...new Set(words)].map((word) => shownWords([word])).join(", ");
}
