import { count, flag, list, oneOf, optional, text, texts } from "../input.ts";
import { verb } from "../verb.ts";

const confirmed = optional(
  flag(
    "A person saw what is allowed, and confirmed it. Without that it is refused, unless the owner configured otherwise.",
  ),
);
const name = text();
const id = text();

export const answerInput = {
  id,
  answer: optional(oneOf(["once", "always", "never", "no"], "`once` unless given.")),
  widened: optional(oneOf(["caller", "tool"], "Allows more than this call, from now on.")),
  confirmed,
  seen: optional(text("The hash of the call that the person saw.")),
  by: optional(oneOf(["desktop"], "Where the person answered, for the audit, if not at a terminal or in the console.")),
};
export const judgedDefinition = {
  name,
  confirmed,
  seen: optional(
    texts("The hashes of the definitions that the person saw: the server may have listed another one since."),
  ),
};
export const forgottenPins = { server: text(), confirmed };

export const approvals = {
  list: verb({
    needs: "look",
    summary: "Remembered answers, calls that wait for approval or were refused, and definitions that changed.",
    on: "folder",
    run: async (folder) => (await import("../approvals.ts")).listApprovals(folder),
  }),
  show: verb({
    // Nothing is masked in it.
    needs: "change",
    summary: "One waiting call with the whole question, which only the process that judges the call has.",
    on: "folder",
    input: { id },
    run: async (folder, { id }) => (await folder.openApprovals()).show(id),
  }),
  hold: verb({
    needs: "change",
    summary:
      "Takes over a whole question from the process that judges the call, so that it can be shown and answered here.",
    on: "folder",
    input: { id, question: text() },
    run: async (folder, input) => (await folder.openApprovals()).hold(input.id, input.question),
  }),
  approve: verb({
    needs: "change",
    summary: "Answers one waiting call. Faults if it can't be shown in full and this is a yes.",
    on: "folder",
    input: answerInput,
    run: async (folder, input) => (await import("../approvals.ts")).approveCall(folder, input),
  }),
  accept: verb({
    needs: "change",
    summary: "Accepts the definition that a server lists now.",
    on: "folder",
    input: judgedDefinition,
    run: async (folder, input) => (await import("../approvals.ts")).acceptDefinition(folder, input),
  }),
  reject: verb({
    needs: "change",
    summary: "Rejects that definition: it stays blocked, and no longer waits until the server lists another one.",
    on: "folder",
    input: { name, seen: judgedDefinition.seen },
    run: async (folder, input) => (await import("../approvals.ts")).rejectDefinition(folder, input),
  }),
  forget: verb({
    needs: "change",
    summary: "Forgets the remembered answers for a tool, so that the guard asks again.",
    on: "folder",
    input: { tool: text() },
    run: async (folder, { tool }) => (await folder.openApprovals()).forget(tool),
  }),
};

export const pins = {
  list: verb({
    needs: "look",
    summary: "Definitions that servers changed or added: those that wait for approval, and those that were rejected.",
    on: "folder",
    run: async (folder) => (await folder.openPins()).list(),
  }),
  forget: verb({
    needs: "change",
    summary: "Forgets the pins of a server, so that what it lists next is pinned anew.",
    on: "folder",
    input: forgottenPins,
    run: async (folder, input) => (await import("../approvals.ts")).forgetPins(folder, input),
  }),
};

const rulesField = list("As in `policy.rules` of the configuration.");

export const rules = {
  list: verb({
    needs: "look",
    summary: "The rules of the policy, and the file they are in.",
    on: "file",
    run: async (file) => (await import("../settings/edit-rules.ts")).listRules(file),
  }),
  save: verb({
    needs: "person",
    summary: "Replaces the rules. Faults with `conflict` if the file is no longer the one with this hash.",
    on: "file",
    input: { rules: rulesField, baseHash: optional(text()) },
    run: async (file, input) => (await import("../settings/edit-rules.ts")).saveRules(file, input),
  }),
  dryRun: verb({
    needs: "look",
    summary: "What these rules would have done to the last 1,000 calls. Answers and limits are left out.",
    withinMs: 60_000,
    input: { rules: rulesField },
    run: async (hub, input) => (await import("../settings/edit-rules.ts")).tryRules(hub, input.rules),
  }),
};

export const auditQuery = {
  tool: optional(text("Only tools whose name matches this glob.")),
  outcome: optional(text("Only calls with this outcome, such as `ok` or `denied`.")),
  limit: optional(count("The most lines to return; 20 unless given.")),
  after: optional(text("Only lines after this position, oldest first. Without it: the latest lines.")),
  waitMs: optional(count("How long to wait for a line if there is none yet.")),
};

export const auditSearch = {
  tool: optional(text("A glob: `files__*`.")),
  caller: optional(text("Part of what names the caller: its door, token, client, sender or agent.")),
  outcome: optional(text()),
  text: optional(text("Part of any field.")),
  before: optional(text("Only lines before this one, by its id.")),
  limit: optional(count("The most lines to return; 100 unless given, at most 1,000.")),
};

/** The longest that `audit.read` waits for a new line, and a bit more. */
const followMs = 60_000;

export const audit = {
  read: verb({
    needs: "look",
    summary: "The latest calls. To follow them, ask again with `after` and `waitMs`.",
    on: "folder",
    withinMs: followMs,
    input: auditQuery,
    run: async (folder, query) => (await import("../queries/audit-page.ts")).readAuditPage(folder, query),
  }),
  search: verb({
    needs: "look",
    summary: "Calls in everything that is kept, newest first.",
    on: "folder",
    withinMs: followMs,
    input: auditSearch,
    run: async (folder, query) => (await import("../queries/search-audit.ts")).searchAudit(folder, query),
  }),
  steps: verb({
    needs: "look",
    summary: "One call, step by step. Faults with `not-found` if its line is no longer kept.",
    on: "folder",
    withinMs: followMs,
    input: { id },
    run: async (folder, { id }) => (await import("../queries/search-audit.ts")).readCall(folder, id),
  }),
};

export const usage = {
  read: verb({
    needs: "look",
    summary: "Calls and estimated tokens by day. Days are those of UTC.",
    input: { days: optional(count("The last days, today included; 30 unless given, at most 92.")) },
    run: async (hub, { days }) => (await import("../queries/read-usage.ts")).readUsage(hub, days),
  }),
};
