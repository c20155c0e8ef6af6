import { requireDoubles } from "../../core/exact-number.ts";
import type { Advice } from "../../catalog/advice.ts";
import type { CallContext } from "../../catalog/call-context.ts";
import type { Caller } from "../../catalog/caller.ts";
import type { Source } from "../../catalog/source.ts";
import type { MachineConfig } from "../../core/config/machine-config.ts";
import { Fault, isFault } from "../../core/fault.ts";
import { asRecord } from "../../core/is-record.ts";
import { quoted } from "../../core/text/peer-text.ts";
import { settledWithin, withDeadline } from "../../core/wait.ts";
import { RpcFault } from "../../mcp/messages/json-rpc.ts";
import { errorResult, type JsonSchema, textBlock, type Tool, type ToolResult } from "../../mcp/messages/tool.ts";
import { createSchemaChecker } from "../../mcp/schema/schema-checker.ts";
import type { CallSlots } from "./call-slots.ts";
import {
  annotationsOf,
  type Capability,
  type CapabilityAnswer,
  type CapabilityArgs,
  type CapabilityContext,
  CapabilityFault,
  invalidRequest,
  unavailableFault,
  unavailableText,
} from "./capability.ts";
import type { Consent } from "./consent.ts";
import type { MachineResources } from "./machine-resources.ts";
import { machinePrompts } from "./machine-prompts.ts";
import type { CapabilityRegistry, RegisteredCapability } from "./registry.ts";

export interface MachineSourceOptions {
  readonly registry: CapabilityRegistry;
  readonly slots: CallSlots;
  readonly consent: Consent;
  readonly resources: MachineResources;
  /** Read at each call. */
  readonly settings: Pick<MachineConfig, "callTimeoutMs">;
}

/** This computer as a source of tools: one tool for each registered capability. */
export function createMachineSource(options: MachineSourceOptions): Source {
  const { registry, slots, consent, resources, settings } = options;
  const checker = createSchemaChecker();
  const stopping = new AbortController();
  const toolOf = createToolList();
  const running = new Set<Promise<unknown>>();

  function requireCapability(name: string): RegisteredCapability {
    const found = registry.find(name);
    if (found !== undefined) return found;
    throw new Fault("unknown-tool", `This computer has no capability ${quoted(name, 100)}.`);
  }

  /** Faults before anyone is asked. Doors other than MCP's have not checked the arguments. */
  async function requireUsable(name: string, args: unknown, { door }: Caller): Promise<Capability> {
    const { capability, availability } = requireCapability(name);
    const verdict = await checker.check(door === "node" ? withGatewayFields(capability) : capability.input, args);
    if (!verdict.ok) throw invalidRequest(`Wrong arguments for ${name}: ${verdict.message}`);
    if (availability.ok) return capability;
    // What is missing may have been installed since the last look.
    await registry.probe(name);
    const now = registry.find(name)?.availability;
    if (now?.ok === false) throw unavailableFault(capability, now);
    return capability;
  }

  async function run(capability: Capability, args: unknown, context: CallContext): Promise<ToolResult> {
    const { caller, log } = context;
    const signal = AbortSignal.any([context.signal, stopping.signal]);
    const release = await slots.acquire(signal);
    const answer = await withDeadline(settings.callTimeoutMs, signal, (ended) => {
      const work = start(capability, asRecord(requireDoubles(args)), {
        caller,
        signal: ended,
        log,
        progress: (step) => context.progress(step),
      });
      holdWhile(work, ended, release);
      return work;
    });
    return resultOf(answer);
  }

  /** A cancelled call gets its answer at once, but its slot is free only when what it has started is gone. */
  function holdWhile(work: Promise<unknown>, ended: AbortSignal, release: () => void): void {
    running.add(work);
    let timer: NodeJS.Timeout | undefined;
    const giveUp = (): void => void (timer = setTimeout(release, cleanUpMs).unref());
    ended.addEventListener("abort", giveUp, { once: true });
    const end = (): void => {
      clearTimeout(timer);
      ended.removeEventListener("abort", giveUp);
      running.delete(work);
      release();
    };
    work.then(end, end);
  }

  return {
    id: "machine",
    kind: "machine",
    trusted: true,
    tools: () => toolOf(registry.list()),
    async call(name, args, context) {
      try {
        return await run(await requireUsable(name, args, context.caller), args, context);
      } catch (error) {
        if (context.signal.aborted || error instanceof RpcFault || isFault(error, "unknown-tool")) throw error;
        if (error instanceof Fault) return failedResult(error);
        context.log.error("a capability failed unexpectedly", { capability: name, error });
        return errorResult("INTERNAL: Something went wrong on this computer. The log of the node has the details.");
      }
    },
    async adviceOn(name, args, caller): Promise<Advice | undefined> {
      const capability = await requireUsable(name, args, caller);
      const [own, exec] = await Promise.all([
        consent.adviceOn(capability, caller),
        capability.judge?.(asRecord(args), caller),
      ]);
      return joinAdvice(own, exec);
    },
    instructions: () => instructions,
    ...resources,
    ...machinePrompts,
    onChange: (listener) => registry.onChange(listener),
    async close() {
      stopping.abort(new Fault("unavailable", "The node is stopping."));
      await settledWithin(Promise.allSettled(running), cleanUpMs);
    },
  };
}

/** How long a capability may take to end what it has started. */
const cleanUpMs = 10_000;

/** What it throws at once is a rejection, too. */
async function start(
  capability: Capability,
  args: CapabilityArgs,
  context: CapabilityContext,
): Promise<CapabilityAnswer> {
  return capability.run(args, context);
}

const instructions = [
  'These tools run on the computer of the user. A tool whose description begins with "Unavailable" can\'t be used now;',
  "app.status says what is missing. Some tools ask the user first, so a call may take up to two minutes.",
  "system.run takes the command as a list of words and no shell reads it.",
].join(" ");

/** The same array until the registry changes. */
function createToolList() {
  const tools = new WeakMap<RegisteredCapability, Tool>();
  let seen: readonly RegisteredCapability[] | undefined;
  let list: readonly Tool[] = [];
  return (entries: readonly RegisteredCapability[]): readonly Tool[] => {
    if (entries === seen) return list;
    seen = entries;
    list = entries.map((entry) => {
      const tool = tools.get(entry) ?? toTool(entry);
      tools.set(entry, tool);
      return tool;
    });
    return list;
  };
}

function toTool({ capability, availability }: RegisteredCapability): Tool {
  const { name, title, description, input, output } = capability;
  return {
    name,
    title,
    description: availability.ok ? description : `Unavailable: ${unavailableText(availability)} ${description}`,
    inputSchema: input,
    outputSchema: output,
    annotations: annotationsOf(capability),
  };
}

const gatewaySchemas = new WeakMap<Capability, JsonSchema>();

/** What the gateway may send. */
export function withGatewayFields(capability: Capability): JsonSchema {
  const { input, gatewayFields } = capability;
  if (gatewayFields === undefined) return input;
  const known = gatewaySchemas.get(capability);
  const schema = known ?? { ...input, properties: { ...asRecord(input["properties"]), ...gatewayFields } };
  gatewaySchemas.set(capability, schema);
  return schema;
}

function resultOf({ payload, text, media = [] }: CapabilityAnswer): ToolResult {
  return { content: [textBlock(text ?? JSON.stringify(payload)), ...media], structuredContent: payload };
}

function failedResult(error: Fault): ToolResult {
  return errorResult(error instanceof CapabilityFault ? error.message : `${reasonOf(error)}: ${error.message}`);
}

function reasonOf({ code }: Fault): string {
  if (code === "timeout") return "TIMEOUT";
  return code === "cancelled" ? "CANCELLED" : "UNAVAILABLE";
}

/** Two questions become one. Its answer can't last, since each of them would keep it elsewhere. */
function joinAdvice(one: Advice | undefined, other: Advice | undefined): Advice | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  if (one.verdict !== "ask" || other.verdict !== "ask") return other.verdict === "deny" ? other : one;
  const { detail = one.detail } = other;
  return {
    by: `${one.by}, ${other.by}`,
    verdict: "ask",
    ownerOnly: true,
    reason: `${one.reason}, and ${other.reason}`,
    ...(detail !== undefined && { detail }),
    approved() {
      one.approved?.();
      other.approved?.();
    },
  };
}
