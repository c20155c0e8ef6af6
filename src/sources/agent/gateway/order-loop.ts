import { randomUUID } from "node:crypto";
import type { Caller } from "../../../catalog/caller.ts";
import { Fault } from "../../../core/fault.ts";
import { asRecord } from "../../../core/is-record.ts";
import type { GatewayConnection, GatewayEvent } from "../../../openclaw/open-gateway.ts";
import { orderTool } from "../order/order-tool.ts";
import { createRunningOrders } from "./running-orders.ts";

/** Begins the id of every run that is an order. The gateway puts it on the events of the run, for all of its operators. */
const mark = "clawport-order-";

/** What OpenClaw's own MCP client calls itself. Others that act inside of OpenClaw are known by the events alone. */
const openClawClient = "openclaw-bundle-mcp";

/** An event and the call that it announces come over two connections. */
const eventPatienceMs = 500;
const maxCalls = 500;
const endStates: ReadonlySet<unknown> = new Set(["final", "error", "aborted"]);

/**
 * Keeps an agent from ordering itself: OpenClaw may have this very hub among its MCP servers, and an order whose run places
 * an order would never end. A run that is an order is marked, and the order that comes out of it is refused.
 */
export interface OrderLoop extends Disposable {
  /** The id for the run of an order. It counts as under way until the returned object is disposed. */
  begin(): Disposable & { readonly runId: string };
  /** Faults if the order comes out of an order. */
  check(message: string, caller: Caller): Promise<void>;
}

/** A call of `order_openclaw` that a run has begun. */
interface OrderCall {
  readonly runId: string;
  /** Undefined if the event does not say. */
  readonly message: string | undefined;
}

/** `folder` is where processes of the same state folder see each other's orders. */
export function watchOrderLoop(gateway: Pick<GatewayConnection, "onEvent">, folder?: string): OrderLoop {
  const running = createRunningOrders(folder);
  const calls = new Map<string, OrderCall>();
  const waiting = new Set<() => void>();
  const unsubscribe = gateway.onEvent(note);

  return {
    begin() {
      const runId = `${mark}${randomUUID()}`;
      running.add(runId);
      return {
        runId,
        [Symbol.dispose]() {
          running.remove(runId);
          forgetRun(runId);
        },
      };
    },
    async check(message, { client }) {
      const isOpenClaw = client === openClawClient;
      let origin = originOf(message);
      if (origin === "unknown" && isOpenClaw && !running.isEmpty()) {
        origin = await awaitOrigin(message);
        // Whether one of our runs called is not known, but one could have: the other mistake would never end.
        if (origin === "unknown" && !running.isEmpty()) throw new Fault("denied", couldBeLoop);
      }
      if (origin === "order") throw new Fault("denied", isLoop);
    },
    [Symbol.dispose]: unsubscribe,
  };

  function note({ event, payload }: GatewayEvent): void {
    const { runId, stream, data, state } = asRecord(payload);
    if (typeof runId !== "string") return;
    // A run that is stopped during a call may leave it without a result.
    if (event === "chat" && calls.size > 0 && endStates.has(state)) forgetRun(runId);
    if (event !== "agent" || stream !== "tool") return;
    const { phase, name, toolCallId, args } = asRecord(data);
    const key = `${runId} ${String(toolCallId)}`;
    if (phase === "result" || phase === "end") calls.delete(key);
    if (phase !== "start") return;
    const given = orderArguments(name, args);
    if (given === undefined) return;
    if (calls.size >= maxCalls) calls.delete(calls.keys().next().value!);
    calls.set(key, { runId, message: typeof given.message === "string" ? given.message : undefined });
    for (const look of waiting) look();
  }

  function forgetRun(runId: string): void {
    for (const [key, call] of calls) if (call.runId === runId) calls.delete(key);
  }

  function originOf(message: string): "order" | "other" | "unknown" {
    const found = [...calls.values()].filter((call) => call.message === undefined || call.message === message);
    if (found.some(({ runId }) => runId.startsWith(mark))) return "order";
    return found.length > 0 ? "other" : "unknown";
  }

  function awaitOrigin(message: string): Promise<ReturnType<typeof originOf>> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        waiting.delete(look);
        resolve(originOf(message));
      };
      const look = (): void => void (originOf(message) === "unknown" || end());
      const timer = setTimeout(end, eventPatienceMs);
      waiting.add(look);
    });
  }
}

/** The arguments of an order; undefined for other tools. Tool Search calls tools by their id. */
function orderArguments(name: unknown, args: unknown): Readonly<Record<string, unknown>> | undefined {
  const given = asRecord(args);
  if (isOrderTool(name)) return given;
  return isOrderTool(given.id) ? asRecord(given.args) : undefined;
}

/** Under the name that OpenClaw gives it: `clawport__order_openclaw`, with a number if there are two. */
function isOrderTool(name: unknown): boolean {
  return typeof name === "string" && name.replace(/-\d+$/, "").endsWith(orderTool.name);
}

const isLoop =
  "OpenClaw is working on an order, and this order comes out of it: an agent that orders itself would never end. Use your own tools for it, or answer with what you have.";

const couldBeLoop =
  "OpenClaw is working on an order, and this one comes from OpenClaw, too: an agent that orders itself would never end. If it does not come out of that order, try again when that is done.";
