import { Fault } from "../../core/fault.ts";
import { isSameSecret } from "../../core/secrets/crypto.ts";
import type { AgentAccess } from "../../doors/mcp/agent-access.ts";
import type { TokenMatch } from "../../doors/mcp/gate.ts";
import type { Published } from "../entries/entries.ts";
import { publishedFilter, publishedName } from "../entries/published.ts";
import { openClawName } from "./openclaw-tools.ts";
import { presentResult } from "./present-result.ts";
import { ticketArgument, type TicketRegistry, withoutTicket } from "./tickets.ts";

export interface AgentDoorOptions {
  readonly token: string;
  readonly desk: TicketRegistry;
  readonly mediaFolder: string;
  published(): readonly Published[];
  mayUse(agent: string | undefined, server: string): boolean;
}

/** The name of the token that OpenClaw presents; rules see it on calls that came without a ticket. */
export const openClawToken = "openclaw";

/** OpenClaw's own MCP client at our endpoint. */
export function createAgentDoor({ token, desk, mediaFolder, published, mayUse }: AgentDoorOptions): AgentAccess {
  const expected = Buffer.from(token);
  const match: TokenMatch = Object.freeze({ name: openClawToken, agent: true });
  return {
    match(presented) {
      return isSameSecret(presented, expected) ? match : undefined;
    },
    viewAt: (name) => (published().some(({ server }) => server === name) ? publishedFilter(name) : undefined),
    redeem({ source, definition }, given) {
      const args = withoutTicket(given);
      const server = publishedName(source);
      const { entry = "" } = published().find((each) => each.server === server) ?? {};
      const name = openClawName(entry, definition.name).toLowerCase();
      const ticket = desk.redeem(given[ticketArgument], (issued) => issued.toLowerCase() === name);
      if (!mayUse(ticket?.caller.agent, server))
        throw new Fault("denied", `This agent may not use the server ${server}.`);
      if (ticket === undefined) return { args, caller: { token: openClawToken } };
      return { args, caller: ticket.caller, approval: ticket.answer };
    },
    present: ({ source }, result) => presentResult(result, { server: publishedName(source), mediaFolder }),
  };
}
