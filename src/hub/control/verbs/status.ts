import { count, oneOf, optional, text } from "../input.ts";
import { gatewayMs, verb } from "../verb.ts";

const from = optional(oneOf(["model", "openclaw"], "Only this store."));
export const asked = { key: text(), from };

export const conversations = {
  list: verb({
    needs: "look",
    summary: "Conversations with the agent, latest first; of one store, or of all that can be reached.",
    on: "folder",
    withinMs: gatewayMs,
    input: { from },
    run: async (folder, input) => (await import("../conversations.ts")).listConversations(folder, input.from),
  }),
  show: verb({
    needs: "look",
    summary: "One conversation. Faults if there is none with this key, or one in each store.",
    on: "folder",
    withinMs: gatewayMs,
    input: asked,
    run: async (folder, input) => (await import("../conversations.ts")).showConversation(folder, input),
  }),
  remove: verb({
    needs: "change",
    summary: "Deletes a conversation.",
    on: "folder",
    withinMs: gatewayMs,
    input: asked,
    run: async (folder, input) => (await import("../conversations.ts")).removeConversation(folder, input),
  }),
};

export const agent = {
  read: verb({
    needs: "look",
    summary: "Which agent would take the next order.",
    withinMs: gatewayMs,
    run: async (hub) => (await import("../settings/read-agent.ts")).readAgent(hub),
  }),
};

export const doctor = {
  findings: verb({
    needs: "look",
    summary: "What `clawport doctor` finds.",
    withinMs: gatewayMs,
    run: async (hub) => (await import("../queries/examine-hub.ts")).examineHub(hub),
  }),
};

export const status = {
  read: verb({
    needs: "look",
    summary: "The hub: its address, sources, callers and counts.",
    run: async (hub) => (await import("../queries/hub-status.ts")).readStatus(hub),
  }),
  forRelay: verb({
    needs: "relay",
    summary: "What a process must know that hands on calls of its client: no addresses, no commands.",
    run: async (hub) => (await import("../queries/hub-status.ts")).readRelayFacts(hub),
  }),
  noteSurface: verb({
    needs: "relay",
    summary: "Notes what the client of a relay got: the relay chooses, since it knows its client.",
    input: { caller: text(), client: optional(text()), surface: oneOf(["full", "search"]), why: text() },
    run: (hub, given) => Promise.resolve(hub.engine.http?.noteSurface(given)),
  }),
  log: verb({
    needs: "look",
    summary: "The last lines of the hub's own log.",
    run: (hub) => Promise.resolve(hub.engine.recentLog()),
  }),
  attention: verb({
    needs: "look",
    summary: "What waits for the user, the most urgent first.",
    run: async (hub) => (await import("../queries/find-attention.ts")).readAttention(hub),
  }),
  series: verb({
    needs: "look",
    summary: "Calls by minute, oldest first.",
    input: { minutes: optional(count("60 unless given, at most 1,440.")) },
    run: async (hub, { minutes }) => (await import("../queries/call-series.ts")).readSeries(hub, minutes),
  }),
};
