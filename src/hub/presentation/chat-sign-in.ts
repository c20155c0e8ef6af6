import { randomUUID } from "node:crypto";
import { Fault, isFault } from "../../core/fault.ts";
import type { ReplyOptions } from "../../sources/agent/reply-backend.ts";
import type { SignInUi } from "./auth.ts";

export interface ChatSignInOptions {
  readonly server: string;
  readonly order: ReplyOptions;
  /** Says in the chat how a sign-in ended that its answer did not wait for. */
  report(text: string): void;
}

/**
 * Signing in from a chat. If its client can send the user to an address, the answer waits for them; otherwise the address is
 * the answer, and the outcome follows.
 */
export function createChatSignIn({ server, order, report }: ChatSignInOptions): SignInUi {
  const ending = new AbortController();
  return {
    show: () => {},
    goesOn: { report },
    signal: ending.signal,
    async openBrowser(url) {
      const opened = await askToOpen(server, url, order);
      if (opened === undefined) return false;
      if (!opened) {
        ending.abort();
        throw new Fault(
          "denied",
          `You declined to sign in to ${server}. Run \`/mcp auth ${server}\` to sign in later.`,
        );
      }
      // From here on the order waits, so its end is the end of the sign-in.
      if (order.signal.aborted) ending.abort();
      else order.signal.addEventListener("abort", () => ending.abort(), { once: true });
      return true;
    },
  };
}

/** Whether the user agreed to go there; undefined if the client can't send them. */
async function askToOpen(server: string, url: URL, { ask, canAsk }: ReplyOptions): Promise<boolean | undefined> {
  if (canAsk === false) return undefined;
  const message = `Sign in to ${server} in a browser.`;
  const params = { mode: "url", message, url: url.href, elicitationId: randomUUID() };
  try {
    const { action } = await ask({ method: "elicitation/create", params });
    return action === "accept";
  } catch (error) {
    if (isFault(error, "missing-capability")) return undefined;
    throw error;
  }
}
