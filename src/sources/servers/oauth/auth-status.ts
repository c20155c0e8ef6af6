import type { Credentials } from "./store/credentials.ts";

/** Where the sign-in to a server stands, for people. Holds no secret. */
export interface AuthStatus {
  readonly kind: "none" | "signed-in" | "expired" | "needs-sign-in";
  readonly expiresAt?: number | undefined;
  /** When somebody signed in, which refreshes do not change. */
  readonly signedInAt?: number | undefined;
  readonly scope?: string | undefined;
  readonly issuer?: string | undefined;
  /** Who is signed in, as the authorization server says. */
  readonly subject?: string | undefined;
}

export function statusOf(kept: Credentials | undefined, now: number): AuthStatus {
  const { tokens, issuer, signedInAt } = kept ?? {};
  if (!tokens) return issuer === undefined ? { kind: "none" } : { kind: "needs-sign-in", issuer };
  const { expiresAt, scope, refreshToken, idToken } = tokens;
  const isOver = expiresAt !== undefined && expiresAt <= now && refreshToken === undefined;
  return {
    kind: isOver ? "expired" : "signed-in",
    expiresAt,
    signedInAt,
    scope,
    issuer,
    subject: subjectOf(idToken),
  };
}

/** Only shown, so that its signature does not matter: it came from the token endpoint itself. */
function subjectOf(idToken: string | undefined): string | undefined {
  try {
    const payload = JSON.parse(Buffer.from(idToken?.split(".")[1] ?? "", "base64url").toString("utf8")) as Record<
      string,
      unknown
    >;
    const name = [payload.email, payload.preferred_username, payload.name, payload.sub].find(
      (each) => typeof each === "string" && each !== "",
    );
    return (name as string | undefined)?.slice(0, 200);
  } catch {
    return undefined;
  }
}
