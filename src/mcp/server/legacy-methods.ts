import { Fault } from "../../core/fault.ts";
import { isRecord } from "../../core/is-record.ts";
import { logLevels, type McpLogLevel } from "../messages/interim-messages.ts";
import { notification } from "../messages/json-rpc.ts";
import { negotiateLegacy } from "../messages/protocol-version.ts";
import { hasLegacyTasks } from "../messages/task.ts";
import type { Tool } from "../messages/tool.ts";
import { capabilitiesOf, instructionsOf } from "./feature-methods.ts";
import { type LegacyTaskParts, legacyTaskMethods, taskCapabilities } from "./legacy-tasks.ts";
import type { McpOffer } from "./offer.ts";
import type { MethodHandler } from "./served-request.ts";
import { maxWatchedUriLength, maxWatches } from "./subscription.ts";

/** The methods of the legacy era: the features, and what only the revisions with a handshake have. */
export function legacyMethods(
  offer: McpOffer,
  features: ReadonlyMap<string, MethodHandler>,
  taskParts: Pick<LegacyTaskParts, "tasks" | "waiting">,
): Map<string, MethodHandler> {
  const methods = new Map(features);
  const call = features.get("tools/call");
  if (offer.tools && call) {
    const { tools } = offer;
    for (const [name, method] of legacyTaskMethods({ ...taskParts, offer, tools, call })) methods.set(name, method);
  }

  const listTools = features.get("tools/list");
  if (listTools) {
    methods.set("tools/list", (params, request, headers) => {
      const page = listTools(params, request, headers);
      return page instanceof Promise ? page.then(withKnownSchemas) : withKnownSchemas(page);
    });
  }

  methods.set("initialize", (params, request) => {
    const version = negotiateLegacy(params.protocolVersion);
    request.peer.version = version;
    request.peer.client = request.client;
    return {
      protocolVersion: version,
      capabilities: {
        ...capabilitiesOf(offer, "legacy"),
        ...(offer.tools && hasLegacyTasks(version) ? { tasks: taskCapabilities } : {}),
      },
      serverInfo: offer.info,
      ...instructionsOf(offer, request),
    };
  });

  methods.set("ping", () => ({}));

  methods.set("logging/setLevel", (params, request) => {
    const { level } = params;
    if (!logLevels.includes(level as McpLogLevel)) {
      throw new Fault("bad-params", `"level" must be one of ${logLevels.join(", ")}.`);
    }
    request.peer.logLevel = level as McpLogLevel;
    request.peer.onSettings?.();
    return {};
  });

  const watch = offer.resources?.watch?.bind(offer.resources);
  if (watch) {
    methods.set("resources/subscribe", async ({ uri }, request) => {
      if (typeof uri !== "string" || uri.length > maxWatchedUriLength) {
        throw new Fault("bad-params", `"uri" must be a string of at most ${maxWatchedUriLength} characters.`);
      }
      const { watches, push } = request.peer;
      if (!push || watches.has(uri)) return {};
      if (watches.size >= maxWatches) throw new Fault("busy", `A client can watch at most ${maxWatches} resources.`);
      const pending = () => {};
      watches.set(uri, pending);
      try {
        const stop = await watch(uri, () => push(notification("notifications/resources/updated", { uri })), request);
        // The client may have unsubscribed or disconnected in the meantime.
        if (watches.get(uri) !== pending) stop();
        else {
          watches.set(uri, stop);
          request.peer.onSettings?.();
        }
      } catch (error) {
        if (watches.get(uri) === pending) watches.delete(uri);
        throw error;
      }
      return {};
    });
    methods.set("resources/unsubscribe", ({ uri }, request) => {
      if (typeof uri !== "string") throw new Fault("bad-params", '"uri" must be a string.');
      request.peer.watches.get(uri)?.();
      request.peer.watches.delete(uri);
      request.peer.onSettings?.();
      return {};
    });
  }
  return methods;
}

/**
 * Before 2026-07-28 the result of a tool is an object. The libraries of those clients refuse a whole list in which one tool
 * says something else, so such a tool is listed without a schema of its result.
 */
function withKnownSchemas(page: object): object {
  const { tools } = page as { readonly tools: readonly Tool[] };
  if (tools.every(hasKnownSchema)) return page;
  return { ...page, tools: tools.map((tool) => (hasKnownSchema(tool) ? tool : withoutOutput(tool))) };
}

function hasKnownSchema({ outputSchema }: Tool): boolean {
  if (outputSchema === undefined) return true;
  const { type, properties = {}, required = [] } = outputSchema;
  const areSchemas = isRecord(properties) && Object.values(properties).every(isRecord);
  const areNames = Array.isArray(required) && required.every((name) => typeof name === "string");
  return type === "object" && areSchemas && areNames;
}

function withoutOutput(tool: Tool): Tool {
  const { outputSchema: _unknown, ...known } = tool;
  return known;
}
