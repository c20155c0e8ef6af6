import { Fault } from "../../core/fault.ts";
import { hasTasks, tasksExtension } from "../messages/client-facts.ts";
import type { JsonRpcRequest, Params } from "../messages/json-rpc.ts";
import { supportedVersions } from "../messages/protocol-version.ts";
import { capabilitiesOf, type MethodHandler } from "./feature-methods.ts";
import type { McpOffer } from "./offer.ts";
import { createPrincipalCounter } from "./principal-counter.ts";
import { createResumableRun } from "./resumable-run.ts";
import type { ReplyRoute, ServedRequest } from "./served-request.ts";
import { type ChangeFeed, serveSubscription } from "./subscription.ts";
import type { TaskStore } from "./tasks.ts";
import type { WaitingRuns } from "./waiting-runs.ts";

export interface ModernParts {
  readonly offer: McpOffer;
  readonly features: ReadonlyMap<string, MethodHandler>;
  readonly changes: ChangeFeed;
  readonly waiting: WaitingRuns;
  readonly tasks: TaskStore;
}

/** The requests of the era without sessions: each stands alone, a call may come back for answers or become a task. */
export interface ModernCalls {
  method(name: string): MethodHandler | undefined;
  serve(message: JsonRpcRequest, method: MethodHandler, request: ServedRequest, route: ReplyRoute): Promise<object>;
}

/** The three requests that may end with `input_required` (Multi Round-Trip Requests). */
const mayAsk: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read"]);

/** Results a client may keep. Ours are live: fresh only for the moment, and for this client alone. */
const cacheable: ReadonlySet<string> = new Set([
  "server/discover",
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
]);

const freshness = { ttlMs: 0, cacheScope: "private" };

export function createModernCalls(parts: ModernParts): ModernCalls {
  const { offer, waiting, tasks } = parts;
  const methods = new Map(parts.features);
  const listening = createPrincipalCounter();
  const identity = { "io.modelcontextprotocol/serverInfo": offer.info };

  methods.set("server/discover", () => ({
    supportedVersions,
    capabilities: capabilitiesOf(offer, "modern"),
    ...(offer.instructions === undefined ? {} : { instructions: offer.instructions }),
  }));
  methods.set("tasks/get", (params, request) => taskOf(params, request).detail());
  methods.set("tasks/update", (params, request) => {
    const task = taskOf(params, request);
    task.onAnswers(answersOf(params));
    return {};
  });
  methods.set("tasks/cancel", (params, request) => {
    taskOf(params, request).cancel();
    return {};
  });
  // Served as a stream in `serve`; here so that it counts as a method we have.
  methods.set("subscriptions/listen", () => ({}));

  return {
    method: (name) => methods.get(name),
    async serve(message, method, request, route) {
      const params = message.params ?? {};
      if (message.method === "subscriptions/listen") {
        return serveSubscription(message.id, params, request, route, { ...parts, listening });
      }
      const result = mayAsk.has(message.method)
        ? await serveInRounds(message, method, request, route)
        : await method(params, request, route.headers);
      return complete(result, cacheable.has(message.method));
    },
  };

  function serveInRounds(
    message: JsonRpcRequest,
    method: MethodHandler,
    request: ServedRequest,
    route: ReplyRoute,
  ): Promise<object> {
    const params = message.params ?? {};
    const subject = `${message.method} ${subjectName(params)}`;
    const answers = params.inputResponses === undefined ? {} : answersOf(params);
    if (params.requestState !== undefined) {
      const run = waiting.take(params.requestState, request.principal, subject);
      request.resumed = run;
      return run.resume(answers, route, request.meta);
    }
    return new Promise((resolve, reject) => {
      const board = message.method === "tools/call" ? tasks : undefined;
      request.startRun = () =>
        createResumableRun({ request, subject, waiting, tasks: board, answers, round: { resolve, reject } });
      const letGo = request.holdSpilled();
      // Wrapped, so that a method that throws at once is caught like one that rejects.
      (async () => method(params, request, route.headers))()
        .finally(letGo)
        .then(
          (result) => (request.run ? request.run.finish(result) : resolve(result)),
          (error: unknown) => (request.run ? request.run.fail(error) : reject(error)),
        );
    });
  }

  function complete(result: object, mayBeKept: boolean): object {
    const meta = (result as { _meta?: object })._meta;
    return {
      resultType: "complete",
      ...(mayBeKept ? freshness : undefined),
      ...result,
      // Last, since nobody else's name may stand under what this server says.
      _meta: meta ? { ...meta, ...identity } : identity,
    };
  }

  function taskOf(params: Params, request: ServedRequest) {
    if (!hasTasks(request.client)) {
      throw new Fault("missing-capability", "Tasks need a client that declares the tasks extension.", {
        detail: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
      });
    }
    return tasks.find(params.taskId, request.principal);
  }
}

/** What the request is about. Not `String(…)`: an object with a `toString` of its own makes that throw. */
function subjectName({ name, uri }: Params): string {
  const named = name ?? uri;
  return typeof named === "string" ? named : "";
}

function answersOf(params: Params): Params {
  const answers = params.inputResponses;
  if (typeof answers !== "object" || answers === null || Array.isArray(answers)) {
    throw new Fault("bad-params", '"inputResponses" has to be an object: an answer for each question.');
  }
  return answers as Params;
}
