import { isRecord } from "../core/is-record.ts";
import type { SpilledText } from "../core/json-bytes.ts";
import { hubOrderUrl } from "../core/http/hub-routes.ts";
import type { Home } from "../core/files/home.ts";
import { messageOf } from "../core/fault.ts";
import { readVersion } from "../core/version.ts";
import { withDeadline } from "../core/wait.ts";
import type { ClientLogLine } from "../mcp/messages/interim-messages.ts";
import { errorResult, type ToolResult } from "../mcp/messages/tool.ts";
import { readSpilledText } from "../sources/agent/media/base64-text.ts";
import { orderTool } from "../sources/agent/order/order-tool.ts";
import { isOutputLine, outputMeta, takeOutputLine } from "../sources/agent/order/relayed-output.ts";
import type { OrderContext } from "../sources/agent/order/run-order.ts";
import { agentEnvHashes } from "./state/agent-env.ts";
import { findHub, type RunningHub } from "./state/find-hub.ts";
import { asksBack, openHubClient } from "./control/hub-client.ts";
import { createRemoteControl } from "./control/remote-control.ts";
import type { Host } from "./state/host.ts";

/** A running hub that takes orders for this process. */
export interface OrderHub {
  /** Undefined if the order is too large to be handed on in memory, or if the hub could not be reached: then nothing was sent. */
  order(args: unknown, call: OrderContext): Promise<ToolResult | undefined>;
}

/** A hub that hangs must not keep an order waiting for long. */
const lookMs = 3000;
const handshakeMs = 5000;
const largestInlined = 32 * 1024 * 1024;

/** From where an order comes: from a client over stdio, or from a terminal. */
export type OrderPlace = "stdio" | "cli";

/** Undefined if no hub runs that would send the order to the same agent as this process. */
export async function findOrderHub(
  host: Host,
  home: Home,
  configPath: string,
  from: OrderPlace,
): Promise<OrderHub | undefined> {
  try {
    const hub = await findHub(home, from === "cli" ? "control" : "relay");
    if (hub === undefined) return undefined;
    if (!(await withDeadline(lookMs, undefined, () => isSameAgent(hub, host, configPath)))) return undefined;
    return { order: (args, call) => placeAtHub(hub, host, from, args, call) };
  } catch (error) {
    host.log.debug("the running hub can't take orders", { error });
    return undefined;
  }
}

/** The same configuration, and no variable here that names another agent. */
async function isSameAgent(hub: RunningHub, { env }: Host, configPath: string): Promise<boolean> {
  const control = createRemoteControl(hub);
  try {
    const { configPath: theirs, agentEnv } = await control.status.forRelay();
    if (theirs !== configPath || agentEnv === undefined) return false;
    return Object.entries(agentEnvHashes(env)).every(([name, value]) => agentEnv[name] === value);
  } finally {
    control.close();
  }
}

async function placeAtHub(
  hub: RunningHub,
  { log }: Host,
  from: OrderPlace,
  args: unknown,
  call: OrderContext,
): Promise<ToolResult | undefined> {
  const inlined = await inlineTexts(args, call);
  if (!isRecord(inlined)) return undefined;
  // The hub sees the client that placed the order, as it would without this process in between.
  const { name = "clawport", version = readVersion() } = call.client ?? {};
  const { capabilities = call.canAsk === true ? asksBack : {} } = call.client ?? {};
  const client = await openHubClient(hub, {
    url: hubOrderUrl(hub.address, from),
    info: { name, version },
    capabilities: { ...capabilities, extensions: {} },
    log,
    handshakeMs,
    signal: call.signal,
  }).catch((error: unknown) => {
    if (call.signal.aborted) throw error;
    log.debug("the running hub does not answer", { error });
    return undefined;
  });
  if (client === undefined) return undefined;
  await using opened = client;
  const written = { text: "" };
  const output = call.onOutput && {
    logLevel: "info" as const,
    meta: outputMeta,
    onLog: (line: ClientLogLine) =>
      isOutputLine(line) ? call.onOutput?.(takeOutputLine(line, written)) : call.tell(line),
  };
  try {
    return await opened.call({ name: orderTool.name, arguments: inlined }, call, output);
  } catch (error) {
    // The order may have reached the agent, so it is not placed again.
    if (call.signal.aborted) throw error;
    return errorResult(
      `Error: The hub did not answer the order: ${messageOf(error)} Ask for its outcome with the same session key.`,
    );
  }
}

/** The arguments with the texts that the door put into files. Undefined if they are too large to be held in memory. */
async function inlineTexts(args: unknown, call: OrderContext): Promise<unknown> {
  let bytes = 0;
  const find = (text: string): SpilledText | undefined => {
    const file = call.spilled?.(text);
    bytes += file?.bytes ?? 0;
    return file;
  };
  const inline = async (value: unknown, depth: number): Promise<unknown> => {
    if (typeof value === "string") {
      const file = find(value);
      return file === undefined || bytes > largestInlined ? value : readSpilledText(file);
    }
    if (depth > 0 && Array.isArray(value)) return Promise.all(value.map((each) => inline(each, depth - 1)));
    if (depth === 0 || !isRecord(value)) return value;
    const entries = Object.entries(value).map(async ([key, each]) => [key, await inline(each, depth - 1)] as const);
    return Object.fromEntries(await Promise.all(entries));
  };
  const inlined = await inline(args, 3);
  return bytes > largestInlined ? undefined : inlined;
}
