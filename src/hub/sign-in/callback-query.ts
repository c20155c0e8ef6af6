import { Fault } from "../../core/fault.ts";

/** What is known of a request to the callback listener. */
export interface CallbackFacts {
  readonly method: string | undefined;
  readonly target: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface CallbackRules {
  /** `127.0.0.1:<port>`, as the redirect address has it. */
  readonly host: string;
  readonly path: string;
  /** The `state` of the sign-in that waits here; nothing before it began. */
  readonly state: string | undefined;
}

export type CallbackVerdict =
  | { readonly pass: true; readonly query: URLSearchParams }
  | { readonly pass: false; readonly status: number; readonly reason: string };

/**
 * Whether a request is the redirect that is waited for. A page that is open in the same browser can send requests here
 * too, under any name that leads to this machine; but it can't navigate with our name in `Host` and the right `state`,
 * which only the authorization server was told.
 */
export function judgeCallback({ method, target, headers }: CallbackFacts, rules: CallbackRules): CallbackVerdict {
  if (headers["host"] !== rules.host) return refuse(403, "This is not the address of a sign-in.");
  const url = URL.parse(target ?? "", `http://${rules.host}`);
  if (url?.pathname !== rules.path) return refuse(404, "There is nothing here.");
  if (method !== "GET") return refuse(405, "Only a browser that is sent here can finish a sign-in.");
  const { origin, "sec-fetch-mode": mode, "sec-fetch-dest": dest } = headers;
  if (
    (origin !== undefined && origin !== "null") ||
    (mode ?? "navigate") !== "navigate" ||
    (dest ?? "document") !== "document"
  )
    return refuse(403, "Only a browser that is sent here can finish a sign-in, not a page of another site.");
  const states = url.searchParams.getAll("state");
  if (rules.state === undefined || states.length !== 1 || states[0] !== rules.state)
    return refuse(400, "This does not belong to the sign-in that waits here. Begin it again.");
  return { pass: true, query: url.searchParams };
}

function refuse(status: number, reason: string): CallbackVerdict {
  return { pass: false, status, reason };
}

/** The query of a callback out of what a person pasted: the whole address, its query, or the bare code. */
export function parsePastedCallback(text: string): URLSearchParams {
  const typed = text.trim();
  const url = /^https?:\/\//i.test(typed) ? URL.parse(typed) : null;
  const query =
    url?.searchParams ?? (typed.includes("=") ? new URLSearchParams(typed.replace(/^[^?]*\?/, "")) : undefined);
  if (query === undefined) {
    if (/^[!-~]+$/.test(typed)) return new URLSearchParams({ code: typed });
    throw new Fault("usage", "That is neither a code nor the address that the browser was sent to.");
  }
  if (query.has("code") || query.has("error")) return query;
  // A code may hold the sign itself.
  if (url === null && /^[!-~]+$/.test(typed) && !typed.includes("&")) return new URLSearchParams({ code: typed });
  throw new Fault(
    "usage",
    "There is no code in that address. Copy all of it from the browser, after you agreed there.",
  );
}
