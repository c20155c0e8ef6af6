import { junk, junkObject } from "./junk.ts";
import type { Random } from "../support/random.ts";

export type Message = Record<string, unknown>;

const toolNames = ["echo", "echo", "strict", "fail", "ask", "task", "none"];
const uris = ["fuzz://text", "fuzz://watched", "fuzz://none"];
const legacyVersions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const clients = [{}, { elicitation: {} }, { elicitation: {}, sampling: {}, roots: {} }];
const tasksCapability = { extensions: { "io.modelcontextprotocol/tasks": {} } };

type Maker = (random: Random) => unknown;

const features: Readonly<Record<string, Maker>> = {
  "tools/list": (random) => (random.chance(0.1) ? { cursor: junk(random) } : {}),
  "tools/call": (random) => ({ name: random.pick(toolNames), arguments: toolArguments(random) }),
  "resources/list": () => ({}),
  "resources/templates/list": () => ({}),
  "resources/read": (random) => ({ uri: random.pick(uris) }),
  "prompts/list": () => ({}),
  "prompts/get": (random) => ({ name: random.pick(["plain", "needy", "none"]), arguments: promptArguments(random) }),
  "completion/complete": (random) => ({
    ref: random.chance(0.5) ? { type: "ref/prompt", name: "needy" } : { type: "ref/resource", uri: "fuzz://{id}" },
    argument: { name: "what", value: `v${random.int(9)}` },
  }),
};

const legacyOnly: Readonly<Record<string, Maker>> = {
  initialize: (random) => ({
    protocolVersion: random.chance(0.9) ? random.pick(legacyVersions) : junk(random),
    capabilities: random.pick(clients),
    clientInfo: { name: "fuzz", version: "1" },
  }),
  ping: () => undefined,
  "logging/setLevel": (random) => ({ level: random.pick(["debug", "info", "emergency", "loud"]) }),
  "resources/subscribe": (random) => ({ uri: random.pick(uris) }),
  "resources/unsubscribe": (random) => ({ uri: random.pick(uris) }),
};

const modernOnly: Readonly<Record<string, Maker>> = {
  "server/discover": () => ({}),
  "tasks/get": () => ({ taskId: "no-such-task" }),
  "tasks/cancel": () => ({ taskId: "no-such-task" }),
  "tasks/update": () => ({ taskId: "no-such-task", inputResponses: {} }),
};

/** A well-formed request of either era, for any method. */
export function makeRequest(random: Random, id: unknown): Message {
  const modern = random.chance(0.4);
  const makers = { ...features, ...(modern ? modernOnly : legacyOnly) };
  const method = random.chance(0.04) ? `unknown/${String(junk(random, 0))}` : random.pick(Object.keys(makers));
  const params = makers[method]?.(random);
  const request: Message = { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
  return modern ? asModern(random, request) : request;
}

/** The same request with the `_meta` of the modern era, sometimes with an invalid entry. */
export function asModern(random: Random, request: Message, capabilities: object = modernClient(random)): Message {
  const version = random.chance(0.97) ? "2026-07-28" : junk(random);
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    ...(random.chance(0.1) ? { progressToken: junk(random, 0) } : {}),
  };
  return { ...request, params: { ...(request.params as object | undefined), _meta } };
}

/** Notifications and unexpected responses, which must not be answered. */
export function makeUnanswered(random: Random): Message {
  switch (random.int(4)) {
    case 0:
      return { jsonrpc: "2.0", method: "notifications/initialized" };
    case 1:
      return { jsonrpc: "2.0", method: `notifications/${String(junk(random, 0))}`, params: junkObject(random) };
    case 2:
      return { jsonrpc: "2.0", id: random.int(1000), result: junkObject(random) };
    default:
      return { jsonrpc: "2.0", id: `ask-${random.int(9)}x`, error: { code: -1, message: "no" } };
  }
}

function modernClient(random: Random): object {
  return random.chance(0.3) ? { ...random.pick(clients), ...tasksCapability } : random.pick(clients);
}

function toolArguments(random: Random): unknown {
  return random.chance(0.6)
    ? { text: `t${random.int(99)}`, count: random.int(9), list: [1, 2.5], nested: { text: "in" } }
    : junkObject(random, 4);
}

function promptArguments(random: Random): unknown {
  return random.chance(0.8) ? { what: "this" } : junkObject(random, 1);
}
