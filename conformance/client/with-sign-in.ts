import { Fault, isFault } from "../../src/core/fault.ts";
import type { LazyAuth } from "../../src/sources/servers/oauth/auth-registry.ts";

const redirectUri = "http://localhost:8123/callback";
const maxVisits = 3;

/** Does the work like a user: if it fails because a sign-in is needed, signs in and tries again. */
export async function withSignIn<T>(auth: LazyAuth, work: () => Promise<T>): Promise<T> {
  for (let visits = 0; ; visits++) {
    try {
      return await work();
    } catch (error) {
      if (!isFault(error, "unauthorized") || visits === maxVisits) throw error;
      await visitSignIn(auth, (error.detail as { scope?: string } | undefined)?.scope);
    }
  }
}

/** A user who consents to everything, including a new authorization server. */
async function visitSignIn(lazy: LazyAuth, scope: string | undefined): Promise<void> {
  const auth = await lazy.load();
  const options = { redirectUri, scope, signal: new AbortController().signal };
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
