import { Fault } from "../../core/fault.ts";
import { untilAborted } from "../../core/wait.ts";
import { hasTasks, tasksExtension } from "../messages/client-facts.ts";
import { type JsonRpcId, type JsonRpcMessage, notification, type Params } from "../messages/json-rpc.ts";
import type { McpOffer, OfferChange } from "./offer.ts";
import type { PrincipalCounter } from "./principal-counter.ts";
import type { ReplyRoute, ServedRequest } from "./served-request.ts";
import type { TaskStore } from "./tasks.ts";

/** More addresses or tasks than anybody watches on one stream. */
const mostWatches = 1000;

const fields: Readonly<Record<string, OfferChange>> = {
  toolsListChanged: "tools",
  promptsListChanged: "prompts",
  resourcesListChanged: "resources",
};

export interface SubscriptionParts {
  readonly offer: McpOffer;
  readonly changes: ChangeFeed;
  readonly tasks: TaskStore;
  /** Who listens, and on how many streams. */
  readonly listening: PrincipalCounter;
}

/** A stream costs memory for as long as it lasts, and no place among the requests. */
const mostStreamsOfOne = 1000;

/**
 * `subscriptions/listen`: a request whose answer is a stream of notices, each marked with the request's id. It lasts
 * until the client goes or cancels. Where the server ends it, the result says so.
 */
export async function serveSubscription(
  id: JsonRpcId,
  params: Params,
  request: ServedRequest,
  route: ReplyRoute,
  { offer, changes, tasks, listening }: SubscriptionParts,
): Promise<object> {
  const wanted = params.notifications;
  if (typeof wanted !== "object" || wanted === null) {
    throw new Fault("bad-params", 'subscriptions/listen needs "notifications": which notices to send.');
  }
  const filter = wanted as Record<string, unknown>;
  const uris = stringList(filter.resourceSubscriptions, "resourceSubscriptions");
  const taskIds = stringList(filter.taskIds, "taskIds");
  if (taskIds.length > 0 && !hasTasks(request.client)) {
    throw new Fault("missing-capability", "Notices about tasks need the tasks extension.", {
      detail: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
    });
  }

  const { principal } = request;
  if (listening.of(principal) >= mostStreamsOfOne)
    throw new Fault("busy", `You listen on ${mostStreamsOfOne} streams already. Close some of them first.`);
  const tag = { "io.modelcontextprotocol/subscriptionId": id };
  /** What happens before the acknowledgement, which has to come first. */
  let early: JsonRpcMessage[] | undefined = [];
  const sendInOrder = (message: JsonRpcMessage) => void (early ? early.push(message) : route.send(message));
  const send = (method: string, extra: Params = {}) => {
    if (!request.cancelled) sendInOrder(notification(method, { ...extra, _meta: tag }));
  };
  listening.add(principal);
  const stops: (() => void)[] = [() => listening.remove(principal)];
  try {
    const granted: Record<string, unknown> = {};
    const kinds = new Set<OfferChange>();
    for (const [field, kind] of Object.entries(fields)) {
      if (filter[field] !== true || !offer[kind] || !offer.onChange) continue;
      granted[field] = true;
      kinds.add(kind);
    }
    if (kinds.size > 0) {
      stops.push(changes.listen((kind) => kinds.has(kind) && send(`notifications/${kind}/list_changed`)));
    }
    if (uris.length > 0 && offer.resources?.watch) {
      request.reroute({ send: sendInOrder, headers: route.headers });
      for (const uri of uris) {
        if (request.cancelled) break;
        const notify = () => send("notifications/resources/updated", { uri });
        stops.push(await offer.resources.watch(uri, notify, request));
      }
      granted.resourceSubscriptions = uris;
    }
    const followed = taskIds.filter((taskId) => isKnownTask(tasks, taskId, request.principal));
    if (taskIds.length > 0) granted.taskIds = followed;
    if (followed.length > 0) {
      stops.push(tasks.onChange((task) => followed.includes(task.id) && send("notifications/tasks", task.detail())));
    }
    if (!request.cancelled) {
      route.send(notification("notifications/subscriptions/acknowledged", { notifications: granted, _meta: tag }));
      for (const notice of early) route.send(notice);
      early = undefined;
      await untilAborted(request.signal);
    }
    return ending(offer, tag);
  } finally {
    for (const stop of stops) stop();
  }
}

/** 2026-07-28, SubscriptionsListenResult: tells an ordered end from a lost connection. */
function ending({ info }: McpOffer, tag: object): object {
  return { resultType: "complete", _meta: { "io.modelcontextprotocol/serverInfo": info, ...tag } };
}

function isKnownTask(tasks: TaskStore, id: string, principal: string): boolean {
  try {
    return tasks.find(id, principal) !== undefined;
  } catch {
    return false;
  }
}

function stringList(value: unknown, name: string): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > mostWatches || !value.every(isShortText)) {
    throw new Fault(
      "bad-params",
      `"${name}" has to be a list of at most ${mostWatches} texts of at most ${longestText} characters.`,
    );
  }
  return [...new Set(value)];
}

const longestText = 8192;

function isShortText(value: unknown): value is string {
  return typeof value === "string" && value.length <= longestText;
}

/** Tells everybody who listens about changes of an offer, through one subscription to it. */
export interface ChangeFeed {
  listen(listener: (change: OfferChange) => void): () => void;
  close(): void;
}

export function createChangeFeed(offer: McpOffer): ChangeFeed {
  const listeners = new Set<(change: OfferChange) => void>();
  let stop: (() => void) | undefined;
  return {
    listen(listener) {
      listeners.add(listener);
      stop ??= offer.onChange?.((change) => {
        for (const each of listeners) each(change);
      });
      return () => listeners.delete(listener);
    },
    close() {
      listeners.clear();
      stop?.();
      stop = undefined;
    },
  };
}
