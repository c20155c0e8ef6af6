import { Fault } from "../../core/fault.ts";

/** A request to the callback listener. */
export interface CallbackFacts {
  readonly method: string | undefined;
  readonly target: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface CallbackRules {
  /** `127.0.0.1:<port>`, as in the redirect URI. */
  readonly host: string;
  readonly path: string;
  /** The `state` of the sign-in that waits here; undefined before it has started. */
  readonly state: string | undefined;
}

export type CallbackVerdict =
  | { readonly pass: true; readonly query: URLSearchParams }
  | { readonly pass: false; readonly status: number; readonly reason: string };

/**
 * Whether a request is the expected redirect. Any page in the same browser can send requests here too, under any name that
 * leads to this machine; but it can't navigate with our name in `Host` and the right `state`, which only the authorization
 * server knows.
 */
export function judgeCallback({ method, target, headers }: CallbackFacts, rules: CallbackRules): CallbackVerdict {
  if (headers["host"] !== rules.host) return refuse(403, "This is not the address of a sign-in.");
  const url = URL.parse(target ?? "", `http://${rules.host}`);
  if (url?.pathname !== rules.path) return refuse(404, "There is nothing here.");
  if (method !== "GET") return refuse(405, "A sign-in can only be finished by a browser that was redirected here.");
  const { origin, "sec-fetch-mode": mode, "sec-fetch-dest": dest } = headers;
  if (
    (origin !== undefined && origin !== "null") ||
    (mode ?? "navigate") !== "navigate" ||
    (dest ?? "document") !== "document"
  )
    return refuse(
      403,
      "A sign-in can only be finished by a browser that was redirected here, not by a page of another site.",
    );
  const states = url.searchParams.getAll("state");
  if (rules.state === undefined || states.length !== 1 || states[0] !== rules.state)
    // Any program on this machine can send this, so it must not end the sign-in.
    return refuse(
      400,
      "This does not belong to the sign-in that waits here, which still waits. If this tab is yours, start the sign-in again.",
    );
  return { pass: true, query: url.searchParams };
}

function refuse(status: number, reason: string) {
  return { pass: false, status, reason } as const;
}

/** The query of a callback from what the user pasted: the whole address, its query, or just the code. */
export function parsePastedCallback(text: string): URLSearchParams {
  const pasted = text.trim();
  const url = /^https?:\/\//i.test(pasted) ? URL.parse(pasted) : null;
  const query =
    url?.searchParams ?? (pasted.includes("=") ? new URLSearchParams(pasted.replace(/^[^?]*\?/, "")) : undefined);
  if (query === undefined) {
    if (/^[!-~]+$/.test(pasted)) return new URLSearchParams({ code: pasted });
    throw new Fault("usage", "This is neither a code nor the address that the browser ended at.");
  }
  if (query.has("code") || query.has("error")) return query;
  // The code itself may hold an equals sign.
  if (url === null && /^[!-~]+$/.test(pasted) && !pasted.includes("&")) return new URLSearchParams({ code: pasted });
  throw new Fault(
    "usage",
    "There is no code in this address. Copy the whole address from the browser after you have agreed there.",
  );
}
