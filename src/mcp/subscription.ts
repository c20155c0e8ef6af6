import { Fault } from "../core/fault.ts";
import type { Changes } from "./changes.ts";
import { hasTasks, tasksExtension } from "./client-facts.ts";
import type { JsonRpcId, Params } from "./json-rpc.ts";
import { notification } from "./json-rpc.ts";
import type { McpOffer, OfferChange } from "./offer.ts";
import type { ServedRequest, Route } from "./served-request.ts";
import type { TaskBoard } from "./tasks.ts";

/** More addresses or tasks than anybody watches on one stream. */
const mostWatches = 1000;

const fields: Readonly<Record<string, OfferChange>> = {
  toolsListChanged: "tools",
  promptsListChanged: "prompts",
  resourcesListChanged: "resources",
};

export interface SubscriptionParts {
  readonly offer: McpOffer;
  readonly changes: Changes;
  readonly tasks: TaskBoard;
}

/**
 * `subscriptions/listen`: a request whose answer is a stream of notices, each marked with the request's id. It lasts
 * until the client goes or cancels, and then resolves.
 */
export async function serveSubscription(
  id: JsonRpcId,
  params: Params,
  request: ServedRequest,
  route: Route,
  { offer, changes, tasks }: SubscriptionParts,
): Promise<void> {
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

  const tag = { _meta: { "io.modelcontextprotocol/subscriptionId": id } };
  const send = (method: string, extra: Params = {}) => route.send(notification(method, { ...extra, ...tag }));
  const stops: (() => void)[] = [];
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
      for (const uri of uris) {
        stops.push(await offer.resources.watch(uri, () => send("notifications/resources/updated", { uri })));
      }
      granted.resourceSubscriptions = uris;
    }
    const followed = taskIds.filter((taskId) => isKnownTask(tasks, taskId, request.principal));
    if (taskIds.length > 0) granted.taskIds = followed;
    if (followed.length > 0) {
      stops.push(tasks.onChange((task) => followed.includes(task.id) && send("notifications/tasks", task.detail())));
    }
    send("notifications/subscriptions/acknowledged", { notifications: granted });
    await aborted(request.signal);
  } finally {
    for (const stop of stops) stop();
  }
}

function isKnownTask(tasks: TaskBoard, id: string, principal: string): boolean {
  try {
    return tasks.find(id, principal) !== undefined;
  } catch {
    return false;
  }
}

function stringList(value: unknown, name: string): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > mostWatches || !value.every((each) => typeof each === "string")) {
    throw new Fault("bad-params", `"${name}" has to be a list of at most ${mostWatches} texts.`);
  }
  return value;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
