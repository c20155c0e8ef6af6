import { Fault } from "../../core/fault.ts";
import { nearestName } from "../../core/nearest-name.ts";
import { quoted } from "../../core/peer-text.ts";
import type { AgentFlags } from "../engine/open-agent.ts";
import { hubFiles } from "../hub-files.ts";
import type { ConversationsOptions } from "../open-conversations.ts";
import { type ApprovalsControlOptions, createApprovalsControl, noApprover } from "./approvals-control.ts";
import { createConversationsControl } from "./conversations.ts";
import type { StateControl } from "./hub-control.ts";

export interface StateControlOptions extends ConversationsOptions, ApprovalsControlOptions {
  /** Where OpenClaw's conversations are; found by itself unless given. */
  readonly flags?: AgentFlags;
  /** The sources that a token can be limited to. */
  views(): Promise<readonly string[]>;
}

/** What is kept in the state folder. Every part is loaded with its first use. */
export function createStateControl(options: StateControlOptions): StateControl {
  const { home, env, log } = options;
  const tokensAt = { home, env, log };
  return {
    tokens: {
      async list() {
        const { listNamedTokens } = await import("../../doors/mcp/named-tokens.ts");
        const named = Object.entries(await listNamedTokens(tokensAt));
        return [
          { name: "main", view: null, created: null },
          ...named.map(([name, { view = null, surface, metrics, created }]) => ({
            name,
            view,
            ...(surface && { surface }),
            ...(metrics && { metrics }),
            created,
          })),
        ];
      },
      async add(name, views = [], metrics, surface) {
        const { addNamedToken } = await import("../../doors/mcp/named-tokens.ts");
        const [first, ...more] = [...new Set(views)].toSorted();
        const view = first === undefined || more.length === 0 ? first : [first, ...more];
        if (views.length > 0) {
          const known = await options.views();
          for (const each of views) requireView(each, known);
        }
        const token = await addNamedToken(tokensAt, name, { view, metrics, surface });
        return { name, view: view ?? null, token: token.reveal() };
      },
      async remove(name) {
        const { removeNamedToken } = await import("../../doors/mcp/named-tokens.ts");
        await removeNamedToken(tokensAt, name);
      },
      async reset() {
        const { mainTokenPath, resetMainToken } = await import("../../doors/mcp/main-token.ts");
        await resetMainToken(tokensAt);
        return { path: mainTokenPath(tokensAt) };
      },
    },
    approvals: createApprovalsControl(options),
    pins: {
      list: async () => (await options.openPins()).list(),
      async forget(server, { confirmed = false } = {}) {
        // It accepts whatever the server lists now.
        if (!confirmed && !(await options.allowsUnattended())) throw new Fault("denied", noApprover);
        const forgotten = await (await options.openPins()).forget(server);
        if (forgotten > 0) return { forgotten };
        throw new Fault(
          "not-found",
          `There are no pins of ${quoted(server)}. Run \`clawport servers\` to list the servers.`,
        );
      },
    },
    audit: {
      async read(query) {
        const { readAuditPage } = await import("./audit-page.ts");
        return readAuditPage(hubFiles.audit(home), query);
      },
      async search(query) {
        const { searchAudit } = await import("./insight/search-audit.ts");
        return searchAudit(hubFiles.audit(home), query);
      },
      async steps(id) {
        const { readCall } = await import("./insight/search-audit.ts");
        return readCall(hubFiles.audit(home), id);
      },
    },
    conversations: createConversationsControl(options),
  };
}

/** A token for an unknown source would give access to nothing, without a hint why. */
function requireView(view: string, views: readonly string[]): void {
  if (views.includes(view)) return;
  const nearest = nearestName(view, views);
  const hint = nearest === undefined ? "" : ` Did you mean ${quoted(nearest)}?`;
  const message = `There is no source ${quoted(view, 100)}.${hint} The sources are: ${views.join(", ")}.`;
  throw new Fault("usage", message);
}
