import { Fault } from "../../core/fault.ts";
import { untilAborted } from "../../core/wait.ts";
import { requireTasks } from "../messages/client-facts.ts";
import { metaKeys } from "../messages/envelope.ts";
import { type JsonRpcId, type JsonRpcMessage, notification, type Params } from "../messages/json-rpc.ts";
import type { Tool } from "../messages/tool.ts";
import type { McpOffer, OfferChange, Requester } from "./offer.ts";
import type { PrincipalCounter } from "./principal-counter.ts";
import type { ReplyRoute, ServedRequest } from "./served-request.ts";
import type { TaskStore } from "./tasks.ts";

/** How many resources or tasks a client may watch on one stream. */
export const maxWatches = 1000;

/** URIs and task ids are stored while they are watched, so their length is bounded. */
export const maxWatchedUriLength = 8192;

/** A stream costs memory while it is open, but takes no request slot. */
const maxStreamsOfOne = 1000;

const listFields: Readonly<Record<string, OfferChange>> = {
  toolsListChanged: "tools",
  promptsListChanged: "prompts",
  resourcesListChanged: "resources",
};

export interface SubscriptionParts {
  readonly offer: McpOffer;
  readonly changeFeed: ChangeFeed;
  readonly tasks: TaskStore;
  /** How many streams each principal has open. */
  readonly streamsOf: PrincipalCounter;
}

/**
 * `subscriptions/listen`: a request that is answered with a stream of notifications, each tagged with the request's id.
 * It lasts until the client cancels or disconnects. If the server ends it, the result says so.
 */
export async function serveSubscription(
  id: JsonRpcId,
  params: Params,
  request: ServedRequest,
  route: ReplyRoute,
  { offer, changeFeed, tasks, streamsOf }: SubscriptionParts,
): Promise<object> {
  const requested = params.notifications;
  if (typeof requested !== "object" || requested === null) {
    throw new Fault("bad-params", 'subscriptions/listen needs "notifications", the notifications to send.');
  }
  const filter = requested as Record<string, unknown>;
  const uris = stringList(filter.resourceSubscriptions, "resourceSubscriptions");
  const taskIds = stringList(filter.taskIds, "taskIds");
  if (taskIds.length > 0) requireTasks(request.client, "Notifications about tasks need the tasks extension.");

  const { principal } = request;
  if (streamsOf.of(principal) >= maxStreamsOfOne)
    throw new Fault("busy", `You already listen on ${maxStreamsOfOne} streams. Close some of them first.`);
  const tag = { [metaKeys.subscriptionId]: id };
  /** Notifications that must wait for the acknowledgement, which comes first. */
  let early: JsonRpcMessage[] | undefined = [];
  const sendInOrder = (message: JsonRpcMessage) => void (early ? early.push(message) : route.send(message));
  const send = (method: string, extra: Params = {}) => {
    if (!request.cancelled) sendInOrder(notification(method, { ...extra, _meta: tag }));
  };
  streamsOf.add(principal);
  const stops: (() => void)[] = [() => streamsOf.remove(principal)];
  try {
    const granted: Record<string, unknown> = {};
    const kinds = new Set<OfferChange>();
    for (const [field, kind] of Object.entries(listFields)) {
      if (filter[field] !== true || !offer[kind] || !offer.onChange) continue;
      granted[field] = true;
      kinds.add(kind);
    }
    if (kinds.size > 0) {
      const client: ToolLister = { principal, client: request.client, listedTools: offer.tools?.list(request) };
      const isNew = (kind: OfferChange) => kind !== "tools" || hasNewTools(offer, client);
      stops.push(
        changeFeed.listen((kind) => kinds.has(kind) && isNew(kind) && send(`notifications/${kind}/list_changed`)),
      );
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
      for (const message of early) route.send(message);
      early = undefined;
      await untilAborted(request.signal);
    }
    return ending(offer, tag);
  } finally {
    for (const stop of stops) stop();
  }
}

/** 2026-07-28, SubscriptionsListenResult: distinguishes an orderly end from a lost connection. */
function ending({ info }: McpOffer, tag: object): object {
  return { resultType: "complete", _meta: { [metaKeys.serverInfo]: info, ...tag } };
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
  if (!Array.isArray(value) || value.length > maxWatches || !value.every(isShortString)) {
    throw new Fault(
      "bad-params",
      `"${name}" must be a list of at most ${maxWatches} strings of at most ${maxWatchedUriLength} characters.`,
    );
  }
  return [...new Set(value)];
}

function isShortString(value: unknown): value is string {
  return typeof value === "string" && value.length <= maxWatchedUriLength;
}

/** A client, and the list of tools that it knows. */
interface ToolLister extends Requester {
  listedTools: readonly Tool[] | undefined;
}

/** Whether this client's own list of tools has changed: not every client gets the same. */
export function hasNewTools({ tools }: McpOffer, client: ToolLister): boolean {
  if (tools?.differs !== true) return true;
  const now = tools.list(client);
  const isNew = now !== client.listedTools;
  client.listedTools = now;
  return isNew;
}

/** Passes on the changes of an offer to any number of listeners, through one subscription to it. */
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
