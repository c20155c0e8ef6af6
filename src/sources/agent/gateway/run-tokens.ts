import type { ReplyOptions, TokenUse } from "../reply.ts";
import type { Gateway } from "./open-gateway.ts";

interface HistoryMessage {
  readonly role?: string;
  readonly usage?: { readonly input?: number; readonly output?: number };
  readonly __openclaw?: { readonly runId?: string };
}

/** More messages than a run of the agent usually has; what is older does not count. */
const latest = 50;

/** What a run has cost in tokens; nothing where no model was asked. */
export async function readRunTokens(
  gateway: Gateway,
  run: { readonly sessionKey: string; readonly runId: string },
  { signal, log }: Pick<ReplyOptions, "signal" | "log">,
): Promise<TokenUse | undefined> {
  const params = { sessionKey: run.sessionKey, limit: latest, maxChars: 2000 };
  const { messages = [] } = await gateway
    .request<{ messages?: readonly HistoryMessage[] }>("chat.history", params, { signal })
    .catch((error: unknown): { messages?: readonly HistoryMessage[] } => {
      signal.throwIfAborted();
      log.debug("what an order has cost is not known", { error });
      return {};
    });
  const answers = messages.filter(({ role, __openclaw }) => role === "assistant" && __openclaw?.runId === run.runId);
  const sum = (kind: "input" | "output"): number =>
    answers.reduce((total, { usage }) => total + (usage?.[kind] ?? 0), 0);
  return answers.length === 0 ? undefined : { input: sum("input"), output: sum("output") };
}
