import { Fault, isFault } from "../../src/core/fault.ts";
import type { ServerAuth } from "../../src/sources/servers/oauth/server-auth.ts";

const redirectUri = "http://localhost:8123/callback";

/** A person who consents to everything at once, a new authorization server included. */
export async function visitSignIn(auth: ServerAuth, signal: AbortSignal | undefined): Promise<void> {
  const options = { redirectUri, signal: signal ?? new AbortController().signal };
  const begun = await auth.begin(options).catch((error: unknown) => {
    const { issuer } = ((isFault(error, "denied") && error.detail) || {}) as { issuer?: string };
    if (issuer === undefined) throw error;
    return auth.begin({ ...options, issuer });
  });
  if (begun.kind === "signed-in") return;
  const response = await fetch(begun.url, { redirect: "manual" });
  const callback = response.headers.get("location");
  if (callback === null) throw new Fault("denied", `The sign-in ended with HTTP ${response.status}.`);
  await auth.finish(new URL(callback).searchParams);
}
