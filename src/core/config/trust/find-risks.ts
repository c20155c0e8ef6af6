import { isLoopbackHost } from "../../http/addresses.ts";
import { quoted } from "../../peer-text.ts";
import type { Config } from "../config-schema.ts";
import type { LoadedConfig } from "../load-config.ts";

/**
 * Why a configuration of unknown origin should be reviewed first, as parts of a sentence: what it starts, sends or opens.
 * What it says about `policy` and `audit` is no risk, since it can't loosen the owner's (`mergeConfigs`).
 */
export function findRisks({ config, envNames }: Pick<LoadedConfig, "config" | "envNames">): readonly string[] {
  const servers = Object.values(config.servers);
  const { transcription } = config.agent;
  const commands = [...servers.flatMap(({ command }) => command ?? []), ...(transcription?.command?.slice(0, 1) ?? [])];
  // Without path and query, which may hold a secret from the environment.
  const urls = [...servers.map(({ url }) => url), config.catalog.embeddings?.url];
  const addresses = urls.flatMap((url) => (url === undefined ? [] : (URL.parse(url)?.origin ?? url)));
  // The content of such a file goes to the authorization server that the MCP server names.
  const files = servers.flatMap(({ auth }) => [auth?.assertionFile ?? [], auth?.idp?.idTokenFile ?? []].flat());
  return [
    ...(commands.length > 0 ? [`it starts ${quotedList(commands)}`] : []),
    ...(addresses.length > 0 ? [`it connects to ${quotedList(addresses)}`] : []),
    ...(envNames.length > 0 && addresses.length > 0
      ? [`it may send ${quotedList(envNames)} from your environment to servers`]
      : []),
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
    ...(hub.publicUrl === undefined ? [] : [`it says that the hub is at ${quoted(hub.publicUrl, 80)}`]),
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

function quotedList(words: readonly string[]): string {
  const shown = [...new Set(words)];
  return shown
    .slice(0, 5)
    .map((word) => quoted(word, 80))
    .concat(shown.length > 5 ? ["…"] : [])
    .join(", ");
}
