import { randomBytes } from "node:crypto";
import type { GivenApproval } from "../../catalog/advice.ts";
import type { Caller } from "../../catalog/caller.ts";
import type { CallerContext, ToolCallEvent } from "../openclaw-api.ts";
import type { RunSenders } from "./run-senders.ts";

/** The argument that carries a ticket from OpenClaw's tool policy to our endpoint. */
export const ticketArgument = "_clawport";

type Args = Readonly<Record<string, unknown>>;

/** A call that OpenClaw has announced and that has not arrived yet. */
export interface Ticket {
  /** As OpenClaw calls the tool. */
  readonly tool: string;
  readonly caller: Omit<Caller, "door">;
  /** The user's answer in OpenClaw's own prompt, for what the prompt showed. */
  answer: GivenApproval | undefined;
}

/**
 * One-time tickets: OpenClaw's trusted tool policy adds one to the arguments of a call, and the endpoint, which sees
 * neither agent nor chat, redeems it. The token of the endpoint proves nothing about the agent: it is in the configuration
 * file, which an agent may be able to read.
 */
export interface TicketRegistry {
  issue(event: ToolCallEvent, context: CallerContext): string;
  /** The ticket of a call that was announced and has not arrived yet. */
  find(event: ToolCallEvent): Ticket | undefined;
  /** A ticket works once, and for its own tool only. */
  redeem(ticket: unknown, isTool: (name: string) => boolean): Ticket | undefined;
}

/** Longer than OpenClaw waits for an approval at most. */
const ticketMs = 660_000;
const maxTickets = 10_000;

export function createTicketRegistry(senders: Pick<RunSenders, "of">, now: () => number = Date.now): TicketRegistry {
  const tickets = new Map<string, { readonly ticket: Ticket; readonly callKey: string; readonly until: number }>();
  const byCall = new Map<string, string>();

  return {
    issue(event, context) {
      sweep();
      const id = randomBytes(16).toString("base64url");
      const callKey = keyOf(event);
      const before = byCall.get(callKey);
      if (before !== undefined) drop(before);
      const { agentId, sessionKey } = context;
      const caller = {
        ...(agentId !== undefined && { agent: agentId }),
        ...(sessionKey !== undefined && { sessionKey }),
        ...senders.of(event.runId ?? context.runId, sessionKey),
      };
      const ticket = { tool: event.toolName, caller, answer: undefined };
      tickets.set(id, { ticket, callKey, until: now() + ticketMs });
      byCall.set(callKey, id);
      return id;
    },
    find: (event) => tickets.get(byCall.get(keyOf(event)) ?? "")?.ticket,
    redeem(id, isTool) {
      const found = typeof id === "string" ? tickets.get(id) : undefined;
      if (found === undefined) return undefined;
      drop(id as string);
      return found.until > now() && isTool(found.ticket.tool) ? found.ticket : undefined;
    },
  };

  function sweep(): void {
    for (const [id, { until }] of tickets) {
      if (until > now() && tickets.size < maxTickets) return;
      drop(id);
    }
  }

  function drop(id: string): void {
    const found = tickets.get(id);
    tickets.delete(id);
    if (found !== undefined && byCall.get(found.callKey) === id) byCall.delete(found.callKey);
  }
}

function keyOf({ runId, toolCallId, toolName }: ToolCallEvent): string {
  return JSON.stringify([runId, toolCallId, toolName]);
}

/** The arguments without a ticket, as a new object. */
export function withoutTicket(args: Args): Args {
  const { [ticketArgument]: _, ...rest } = args;
  return rest;
}
