import type { Catalog } from "../../catalog/catalog.ts";
import type { Guard } from "../../catalog/guard/guard.ts";
import { Fault, messageOf } from "../../core/fault.ts";
import { prepareToSend } from "../../core/http/turn-end.ts";
import { asRecord } from "../../core/is-record.ts";
import type { Log } from "../../core/log.ts";
import { backoffDelays, settledWithin, sleep } from "../../core/wait.ts";
import type { Progress } from "../../mcp/messages/interim-messages.ts";
import { type GatewayAddress, gatewayEndpoint } from "../../openclaw/locate-gateway.ts";
import { type GatewayEvent, limitsOf } from "../../openclaw/open-gateway.ts";
import { type NodeLink, type NodeLinkState, type NodeManifest, openNodeLink } from "../../openclaw/open-node-link.ts";
import type { OpenedMachine } from "../../sources/machine/open-machine.ts";
import { type AgentTool, agentToolsOf } from "./agent-tools.ts";
import { createAnsweredInvokes } from "./answered-invokes.ts";
import type { NodeDevice } from "./node-device.ts";
import { createProgressSender } from "./progress-sender.ts";
import { type InvokeAnswer, type OfferedCommand, parseInvoke, runInvoke } from "./run-invoke.ts";

export interface NodeDoorOptions {
  readonly address: GatewayAddress;
  readonly device: NodeDevice;
  readonly machine: Pick<OpenedMachine, "declared" | "reportGateway">;
  readonly catalog: Pick<Catalog, "view" | "onChange">;
  readonly guard: Pick<Guard, "call">;
  readonly log: Log;
  readonly version: string;
  /** How the gateway's owner knows this computer. */
  readonly displayName: string;
  readonly platform: string;
}

/** This computer as a node of an OpenClaw gateway. */
export interface NodeDoor {
  readonly nodeId: string;
  /** Host and port. */
  readonly gateway: string;
  state(): NodeLinkState;
  /** What the gateway has been told of, in the order of their names. */
  commands(): readonly string[];
  /** Cancels what runs, then closes the connection. */
  close(): Promise<void>;
}

/** More than these at a time are refused: each may wait for the user, so the machine's own limit does not count them. */
const maxInvokes = 64;
/** A burst of changes is one new connection. */
const settleMs = 250;
/** How long a change waits for running commands, whose answers the new connection would lose. */
const patienceMs = 30_000;
/** What this computer has is looked at again, so that a display or a program that came later is declared. */
const lookMs = 60_000;
/**
 * When the gateway is asked for something after each connection. One that an approval has made it forget gets no events,
 * not even the approval, and stays open: only the answer to a request shows it. Most approvals follow a new connection.
 */
const checkWaits = { firstMs: 1000, maxMs: 15_000 };
/** While a request waits for its answer, OpenClaw's client does not look whether the connection is dead. */
const checkMs = 5000;
/** How long cancelled commands may take to end. */
const cleanUpMs = 5000;

export async function openNodeDoor(options: NodeDoorOptions): Promise<NodeDoor> {
  const { address, device, machine, catalog, guard, log } = options;
  const { deviceId: nodeId } = device.identity;
  const { name: gateway } = gatewayEndpoint(address);
  const view = catalog.view({ source: "machine" });
  const once = createAnsweredInvokes();
  const running = new Map<string, AbortController>();
  const answering = new Set<Promise<void>>();
  let declared = manifestOf(offered());
  let changing: NodeJS.Timeout | undefined;
  let changedAt = 0;
  let lastProblem = "";
  let published: readonly AgentTool[] = [];
  let checking = new AbortController();

  const link: NodeLink = await openNodeLink({
    ...options,
    identity: device.identity,
    tokens: device.tokensFor(gateway),
    manifest: declared,
    onState: noteState,
    onEvent: handleEvent,
  });
  // It also keeps the process alive while the gateway is away and nothing else is open.
  const looking = setInterval(publishTools, lookMs);
  const unsubscribe = catalog.onChange(({ tools }) => void (tools && noteChange()));
  report({ state: "connecting" });

  /** What works here, and is not hidden by a filter of the catalog. */
  function offered(): readonly OfferedCommand[] {
    return machine.declared().flatMap((capability) => {
      const tool = view.find(capability.name);
      return tool?.tool.name === capability.name ? [{ capability, tool }] : [];
    });
  }

  function noteState(state: NodeLinkState): void {
    report(state);
    checking.abort();
    if (state.state === "connected") {
      lastProblem = "";
      log.info(`connected to the gateway ${gateway} as a node`, { nodeId, commands: declared.commands.length });
      publishTools();
      checking = new AbortController();
      void keepChecking(checking.signal);
      return;
    }
    // No one would get their answers.
    for (const stop of running.values()) stop.abort(new Fault("cancelled", "The connection to the gateway was lost."));
    const problem = state.fault?.message ?? "The connection to the gateway was lost. Trying again.";
    if (problem !== lastProblem) log.warn(problem);
    lastProblem = problem;
  }

  function report(state: NodeLinkState): void {
    const problem = "fault" in state ? state.fault?.message : undefined;
    machine.reportGateway({
      state: state.state,
      gateway,
      nodeId,
      declared: declared.commands,
      ...(problem !== undefined && { problem }),
    });
  }

  function noteChange(): void {
    if (changing !== undefined) return;
    changedAt = performance.now();
    changing = setTimeout(declareChange, settleMs);
  }

  function declareChange(): void {
    changing = undefined;
    const next = manifestOf(offered());
    if (JSON.stringify(next) === JSON.stringify(declared)) return publishTools();
    if (running.size > 0 && performance.now() - changedAt < patienceMs) {
      changing = setTimeout(declareChange, settleMs);
      return;
    }
    declared = next;
    log.info("the tools of this computer have changed; the gateway is told", { commands: next.commands.length });
    link.declare(next);
  }

  /** The gateway drops them with each connection, and while it has not approved their commands. */
  function publishTools(): void {
    published = agentToolsOf(offered().map(({ capability }) => capability));
    if (link.state().state === "connected") void sendTools();
  }

  async function sendTools(): Promise<void> {
    try {
      await link.request("node.pluginTools.update", { tools: published }, checkMs);
    } catch (error) {
      log.debug("the gateway takes no tools from nodes", { error: messageOf(error) });
    }
  }

  /** Until the connection ends. The link replaces one that the gateway no longer counts. */
  async function keepChecking(signal: AbortSignal): Promise<void> {
    for (const ms of backoffDelays(checkWaits)) {
      await sleep(ms, signal).catch(() => undefined);
      if (signal.aborted) return;
      await sendTools();
    }
  }

  function handleEvent({ event, payload }: GatewayEvent): void {
    if (event === "node.invoke.request") return startInvoke(payload);
    const { invokeId, nodeId: about, decision } = asRecord(payload);
    if (event === "node.invoke.cancel") {
      running.get(String(invokeId))?.abort(new Fault("cancelled", "The gateway cancelled it."));
    } else if (event === "node.pair.resolved" && about === nodeId) {
      if (decision === "approved") {
        log.info("the gateway's owner has approved the commands of this computer");
        publishTools();
      } else if (decision === "rejected") log.warn("the gateway's owner has rejected the commands of this computer");
    }
  }

  function startInvoke(payload: unknown): void {
    const request = parseInvoke(payload);
    if (request === undefined || running.has(request.id)) {
      log.debug("a request of the gateway can't be answered");
      return;
    }
    const { id, command } = request;
    const send = async (answer: InvokeAnswer): Promise<void> => {
      try {
        prepareToSend();
        await link.request("node.invoke.result", { id, nodeId, ...answer });
      } catch (error) {
        log.debug("the gateway did not take an answer", { command, error: messageOf(error) });
      }
    };
    if (running.size >= maxInvokes) {
      const message = `${maxInvokes} commands are running or wait for approval. Try again later.`;
      void send({ ok: false, error: { code: "UNAVAILABLE", message } });
      return;
    }
    const stop = new AbortController();
    running.set(id, stop);
    const progress = createProgressSender((step) =>
      link.request("node.invoke.progress", { invokeId: id, nodeId, ...step }),
    );
    const state = link.state();
    // The first request may come before the client has reported the connection.
    const { frameBytes } = state.state === "connected" ? state.limits : limitsOf({});
    const find = (name: string): OfferedCommand | undefined =>
      offered().find(({ capability }) => capability.name === name);
    const run = (): Promise<InvokeAnswer> =>
      runInvoke(request, {
        guard,
        find,
        gateway,
        log,
        frameBytes,
        signal: stop.signal,
        progress: (step: Progress) => progress(step),
      });
    const answered = once(request, run)
      .finally(() => running.delete(id))
      .then(send);
    answering.add(answered);
    void answered.finally(() => answering.delete(answered));
  }

  return {
    nodeId,
    gateway,
    state: () => link.state(),
    commands: () => declared.commands,
    async close() {
      unsubscribe();
      clearInterval(looking);
      clearTimeout(changing);
      for (const stop of running.values()) stop.abort(new Fault("cancelled", "The node is stopping."));
      await settledWithin(Promise.allSettled(answering), cleanUpMs);
      await link.close();
      // Last: a connection that comes back while this closes begins its own checks.
      checking.abort();
      await device.saved();
      machine.reportGateway({ state: "off" });
    },
  };
}

/** The first word of a command is its category. */
function manifestOf(commands: readonly OfferedCommand[]): NodeManifest {
  const names = commands.map(({ capability }) => capability.name);
  const caps = new Set(names.map((name) => name.split(".")[0] ?? ""));
  return { caps: [...caps].toSorted(), commands: names.toSorted() };
}
