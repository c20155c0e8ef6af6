import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createCatalog } from "../../src/catalog/catalog.ts";
import type { CallContext } from "../../src/catalog/call-context.ts";
import type { Source } from "../../src/catalog/source.ts";
import { loadConfig } from "../../src/core/config/load-config.ts";
import { silentLog } from "../../src/core/log.ts";
import type { Answer, Question } from "../../src/mcp/messages/interim-messages.ts";
import { RpcFault } from "../../src/mcp/messages/json-rpc.ts";
import type { Prompt } from "../../src/mcp/messages/resources-and-prompts.ts";
import type { Tool } from "../../src/mcp/messages/tool.ts";
import { defineServers } from "../../src/sources/servers/definition.ts";
import { createServerManager } from "../../src/sources/servers/manager.ts";
import { createAuthRegistry } from "../../src/sources/servers/oauth/auth-registry.ts";
import { createMemoryCredentials } from "../../tests/support/memory-credentials.ts";
import { sampleArguments } from "./sample-arguments.ts";
import { scenarioAuth, type ScenarioContext } from "./scenario-auth.ts";
import { withSignIn } from "./with-sign-in.ts";

/** The client that the official runner starts. It uses everything that the scenario's server offers once. */
const [url = ""] = process.argv.slice(2);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? "";
const given = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}") as ScenarioContext;

const context: CallContext = {
  caller: { door: "cli" },
  signal: new AbortController().signal,
  log: silentLog,
  progress: () => {},
  tell: () => {},
  ask: (question) => Promise.resolve(answerQuestion(question)),
};

const folder = await mkdtemp(path.join(tmpdir(), "clawport-conformance-"));
const auth = await scenarioAuth(scenario, given, { url, folder });
const { config } = await loadConfig({
  path: "conformance",
  text: JSON.stringify({ servers: { scenario: { url, toolPrefix: "", auth } } }),
  env: {},
});
const store = createMemoryCredentials();
const auths = createAuthRegistry({
  home: { file: (...parts) => path.join(folder, ...parts) },
  store: () => Promise.resolve(store),
  env: process.env,
  log: silentLog,
});
const { definitions } = defineServers(config);
const signedIn = <T>(work: () => Promise<T>) => withSignIn(auths.of(definitions[0]!)!, work);
const catalog = createCatalog();
const manager = createServerManager({
  catalog,
  env: process.env,
  log: silentLog,
  version: "0.0.0",
  maxConcurrent: 1,
  discoveryMs: 0,
  auths,
});
try {
  await manager.apply(definitions);
  await signedIn(() => manager.refresh("scenario"));
  await useEverything(catalog.sources()[0] as Source);
} finally {
  await manager.close();
  await rm(folder, { recursive: true, force: true });
}

/** Concurrently, because some scenarios check that calls do not mix. The scenario judges what the server refuses. */
async function useEverything(source: Source): Promise<void> {
  const tools = catalog.tools().map(({ tool }) => tool);
  const calls = given.toolCalls ?? tools.map((tool) => ({ name: tool.name, arguments: argumentsFor(tool, tools) }));
  const work = [
    ...calls.map((call) => () => source.call(call.name, call.arguments, context)),
    ...(source.resources?.() ?? []).map(
      ({ uri }) =>
        () =>
          source.readResource!(uri, context),
    ),
    ...(source.prompts?.() ?? []).map(
      (prompt) => () => source.getPrompt!(prompt.name, promptArguments(prompt), context),
    ),
  ];
  for (const outcome of await Promise.allSettled(work.map((each) => signedIn<unknown>(each))))
    if (outcome.status === "rejected" && !(outcome.reason instanceof RpcFault)) throw outcome.reason;
  if (scenario !== "sep-2640-client-no-prefetch") await loadSkills(source);
}

/** Like an agent that needs every skill: its `SKILL.md` first, then what belongs to it, if the first can be trusted. */
async function loadSkills(source: Source): Promise<void> {
  for (const { uri, resources } of source.skills?.() ?? []) {
    await source.readResource!(uri, context);
    const others = resources === "dynamic" ? [] : resources.filter((file) => file.uri !== uri);
    for (const file of others) await source.readResource!(file.uri, context);
  }
}

/** One scenario checks the schema of the first tool as the client received it. */
function argumentsFor({ name, inputSchema }: Tool, tools: readonly Tool[]): object {
  return name === "json_schema_echo" ? { schema: tools[0]?.inputSchema } : sampleArguments(inputSchema);
}

function promptArguments({ arguments: args = [] }: Prompt): Record<string, string> {
  return Object.fromEntries(args.map(({ name }) => [name, "text"]));
}

/** A user who accepts every form with its defaults, and a model that always says the same. */
function answerQuestion({ method, params }: Question): Answer {
  if (method === "sampling/createMessage")
    return { role: "assistant", model: "mock", content: { type: "text", text: "Hello" } };
  const schema = params?.requestedSchema as { properties?: Record<string, { default?: unknown }> } | undefined;
  const filled = Object.entries(schema?.properties ?? {}).filter(([, field]) => field.default !== undefined);
  return { action: "accept", content: Object.fromEntries(filled.map(([name, field]) => [name, field.default])) };
}
