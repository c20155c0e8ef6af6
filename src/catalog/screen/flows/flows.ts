import type { Finding } from "../finding.ts";
import { addressesIn, fingerprintsOf } from "./fingerprints.ts";
import type { FlowLabel } from "./labels.ts";

/** One call, as far as the flow of data is concerned. */
export interface FlowCall {
  /** Calls with the same key are one conversation. */
  readonly conversation: string;
  readonly source: string;
  readonly tool: string;
  readonly labels: readonly FlowLabel[];
  readonly args: unknown;
}

/** What each conversation has taken in, so that a call that sends something out can be judged by it. */
export interface Flows {
  /** Before a call. `mode`: whether private data beside strangers' text is a question, or noted unless that text was marked. */
  check(call: FlowCall, mode: "ask" | "note"): readonly Finding[];
  /** After its result. */
  note(call: FlowCall, result: unknown, isMarked: boolean): void;
}

interface Taken {
  readonly source: string;
  readonly tool: string;
  readonly at: number;
}

interface Conversation {
  lastAt: number;
  own: Taken | undefined;
  foreign: (Taken & { readonly isMarked: boolean }) | undefined;
  readonly prints: Map<number, Taken>;
  /** Mail addresses and hosts in text that screening has marked. */
  readonly addresses: Map<string, Taken>;
}

const idleMs = 30 * 60_000;
const maxConversations = 1000;
const maxPrints = 5000;
const maxAddresses = 200;

export function createFlows(clock: () => number): Flows {
  const conversations = new Map<string, Conversation>();

  function find(key: string): Conversation | undefined {
    const found = conversations.get(key);
    if (found === undefined || clock() - found.lastAt <= idleMs) return found;
    conversations.delete(key);
    return undefined;
  }

  function open(key: string): Conversation {
    const known = find(key) ?? {
      lastAt: 0,
      own: undefined,
      foreign: undefined,
      prints: new Map(),
      addresses: new Map(),
    };
    known.lastAt = clock();
    // The one that was used longest ago comes first.
    conversations.delete(key);
    conversations.set(key, known);
    for (const oldest of conversations.keys()) {
      if (conversations.size <= maxConversations) break;
      conversations.delete(oldest);
    }
    return known;
  }

  return {
    check({ conversation, labels, source, args }, mode) {
      if (!labels.includes("outward")) return none;
      const known = find(conversation);
      if (known === undefined) return none;
      const found: Finding[] = [];
      if (known.prints.size > 0) {
        for (const print of fingerprintsOf(args)) {
          const taken = known.prints.get(print);
          if (taken === undefined || taken.source === source) continue;
          const why = `it would send out something that ${taken.tool} of ${taken.source} has read`;
          found.push({ rule: "private-value", severity: "ask", where: "arguments", quote: taken.tool, why });
          break;
        }
      }
      const address =
        known.addresses.size === 0 ? undefined : addressesIn(args).find((each) => known.addresses.has(each));
      if (address !== undefined) {
        const { tool } = known.addresses.get(address)!;
        const why = `it would send something to ${address}, which is named in the text of ${tool} that screening has marked`;
        found.push({ rule: "marked-address", severity: "ask", where: "arguments", quote: address, why });
      }
      const { own, foreign } = known;
      if (own !== undefined && foreign !== undefined) {
        const isAsked = mode === "ask" || foreign.isMarked;
        const marked = foreign.isMarked ? ", which screening has marked" : "";
        const why = `this conversation has read private data (${own.tool}) and text of strangers (${foreign.tool}${marked}), and the call can send something out`;
        const quote = `${own.tool}, ${foreign.tool}`;
        found.push({ rule: "flow", severity: isAsked ? "ask" : "note", where: "conversation", quote, why });
      }
      return found;
    },
    note({ conversation, labels, source, tool }, result, isMarked) {
      if (!labels.includes("private") && !labels.includes("untrusted") && !isMarked) return;
      const known = open(conversation);
      const taken = { source, tool, at: clock() };
      if (labels.includes("private")) {
        known.own = taken;
        for (const print of fingerprintsOf(result)) if (known.prints.size < maxPrints) known.prints.set(print, taken);
      }
      if (isMarked) {
        for (const address of addressesIn(result))
          if (known.addresses.size < maxAddresses) known.addresses.set(address, taken);
      }
      // Marked text is a stranger's, whatever the tool is said to bring.
      if (isMarked || (labels.includes("untrusted") && known.foreign?.isMarked !== true))
        known.foreign = { ...taken, isMarked };
    },
  };
}

const none: readonly Finding[] = [];
