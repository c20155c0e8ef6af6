import { Fault } from "../../core/fault.ts";
import { isRecord } from "../../core/is-record.ts";
import { requireTasks } from "../messages/client-facts.ts";
import { metaKeys } from "../messages/envelope.ts";
import type { JsonRpcRequest, Params } from "../messages/json-rpc.ts";
import { supportedVersions } from "../messages/protocol-version.ts";
import { capabilitiesOf, instructionsOf } from "./feature-methods.ts";
import type { McpOffer } from "./offer.ts";
import { createPrincipalCounter } from "./principal-counter.ts";
import { createResumableRun } from "./resumable-run.ts";
import type { MethodHandler, ReplyRoute, ServedRequest } from "./served-request.ts";
import { type ChangeFeed, serveSubscription } from "./subscription.ts";
import type { Task, TaskStore } from "./tasks.ts";
import type { WaitingRuns } from "./waiting-runs.ts";

export interface ModernParts {
  readonly offer: McpOffer;
  readonly features: ReadonlyMap<string, MethodHandler>;
  readonly changeFeed: ChangeFeed;
  readonly waiting: WaitingRuns;
  readonly tasks: TaskStore;
}

/** The requests of the modern era: each is independent, and a call may ask for input or become a task. */
export interface ModernCalls {
  method(name: string): MethodHandler | undefined;
  serve(message: JsonRpcRequest, method: MethodHandler, request: ServedRequest, route: ReplyRoute): Promise<object>;
}

/** The requests that may end with `input_required` (Multi Round-Trip Requests). */
const mayAsk: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read"]);

/** The methods whose results must say how long they may be cached. */
const cacheable: ReadonlySet<string> = new Set([
  "server/discover",
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "skills/list",
  "skills/get",
  "resources/directory/read",
]);

/** Results differ between clients, and may be out of date at any moment. */
const noCaching = { ttlMs: 0, cacheScope: "private" };

/** What a server lists changes seldom, and a client that listens is told. */
const lists: ReadonlySet<string> = new Set([
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "skills/list",
]);
const listCaching = { ttlMs: 60_000, cacheScope: "private" };

export function createModernCalls(parts: ModernParts): ModernCalls {
  const { offer, waiting, tasks } = parts;
  const methods = new Map(parts.features);
  const streamsOf = createPrincipalCounter();
  const identity = { [metaKeys.serverInfo]: offer.info };

  methods.set("server/discover", (_, request) => ({
    supportedVersions,
    capabilities: capabilitiesOf(offer, "modern"),
    ...instructionsOf(offer, request),
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
  // `serve` answers it with a stream. It is listed here so that the method counts as known.
  methods.set("subscriptions/listen", () => ({}));

  return {
    method: (name) => methods.get(name),
    async serve(message, method, request, route) {
      const params = message.params ?? {};
      if (message.method === "subscriptions/listen") {
        return serveSubscription(message.id, params, request, route, { ...parts, streamsOf });
      }
      const result = mayAsk.has(message.method)
        ? await serveInRounds(message, method, request, route)
        : await method(params, request, route.headers);
      return complete(result, cachingOf(message.method));
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
      const taskStore = message.method === "tools/call" ? tasks : undefined;
      request.startRun = () =>
        createResumableRun({ request, subject, waiting, tasks: taskStore, answers, round: { resolve, reject } });
      const release = request.holdSpilled();
      // Wrapped, so that a method that throws synchronously is treated like one that rejects.
      (async () => method(params, request, route.headers))()
        .finally(release)
        .then(
          (result) => (request.run ? request.run.finish(result) : resolve(result)),
          (error: unknown) => (request.run ? request.run.fail(error) : reject(error)),
        );
    });
  }

  /** Undefined for results that say nothing about it. A list that is not complete yet must be requested again. */
  function cachingOf(method: string): object | undefined {
    if (!cacheable.has(method)) return undefined;
    return lists.has(method) && (offer.isSettled?.() ?? true) ? listCaching : noCaching;
  }

  function complete(result: object, caching: object | undefined): object {
    const meta = (result as { _meta?: object })._meta;
    return {
      resultType: "complete",
      ...caching,
      ...result,
      // Last, so that a result from another server can't replace this server's name.
      _meta: meta ? { ...meta, ...identity } : identity,
    };
  }

  function taskOf(params: Params, request: ServedRequest): Task {
    requireTasks(request.client, "Tasks need a client that declares the tasks extension.");
    return tasks.find(params.taskId, request.principal);
  }
}

/** What the request is about. Not `String(…)`, which throws if the client sends an object with a `toString` field. */
function subjectName({ name, uri }: Params): string {
  const named = name ?? uri;
  return typeof named === "string" ? named : "";
}

function answersOf(params: Params): Params {
  const answers = params.inputResponses;
  if (!isRecord(answers)) {
    throw new Fault("bad-params", '"inputResponses" must be an object with an answer for each question.');
  }
  return answers;
}
