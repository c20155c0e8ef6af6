import { Fault, isFault } from "../../../core/fault.ts";
import { quoted } from "../../../core/quoted.ts";
import type { AuthContext } from "./auth-context.ts";
import { commandWord } from "./command-word.ts";
import { type AuthorizationServer, discoverAuthorizationServer, isSameIssuer } from "./authorization-server.ts";
import type { ProtectedResource } from "./protected-resource.ts";

export interface ServerChoice {
  readonly resource: ProtectedResource;
  /** The authorization server of the first sign-in. */
  readonly pinned?: string | undefined;
  /** The one a person wants instead. */
  readonly accepted?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The first authorization server that answers. Only the one that was signed in to before, unless a person says otherwise. */
export async function chooseAuthorizationServer(
  context: AuthContext,
  { resource, pinned, accepted, signal }: ServerChoice,
): Promise<AuthorizationServer> {
  const listed = listOf(context, resource);
  const wanted = requireKnown(context.server, listed, pinned, accepted);
  const failures: Fault[] = [];
  for (const address of wanted) {
    try {
      const found = await discoverAuthorizationServer(address, context, signal);
      if (found) return found;
    } catch (error) {
      if (!isFault(error) || signal?.aborted) throw error;
      failures.push(error);
    }
  }
  const worst = failures.find(({ code }) => code === "denied") ?? failures[0];
  if (worst) throw worst;
  // Servers of 2025-03-26 may have no document at all; who names an authorization server has to have one.
  const isNamed = resource.authorizationServers !== undefined || context.settings.authorizationServerUrl !== undefined;
  if (!isNamed) return { issuer: `${context.url.origin}/` };
  throw new Fault("unavailable", `${quoted(wanted.join(", "))} is no authorization server: it has no metadata.`);
}

/** A server that suddenly names another authorization server may have been taken over: its users would sign in there. */
export function requireKnown(
  server: string,
  listed: readonly string[],
  pinned: string | undefined,
  accepted: string | undefined,
): readonly string[] {
  const choice = accepted ?? pinned;
  if (choice === undefined) return listed;
  const known = listed.filter((address) => isSameIssuer(address, choice));
  if (known.length > 0) return known;
  const shown = (address = "none") => quoted(address);
  const now = listed[0];
  if (accepted !== undefined) {
    throw new Fault(
      "denied",
      `${server} does not name ${shown(accepted)} as its authorization server, but ${shown(now)}.`,
    );
  }
  const word = now === undefined ? undefined : commandWord(now);
  const how = word === undefined ? "" : ` If you know why, accept it: clawport auth ${server} --issuer ${word}`;
  throw new Fault(
    "denied",
    `${server} now names ${shown(now)} as its authorization server; you signed in with ${shown(pinned)}.${how}`,
    { detail: { issuer: now, pinned } },
  );
}

export function listOf({ url, settings }: AuthContext, resource: ProtectedResource): readonly string[] {
  if (settings.authorizationServerUrl !== undefined) return [settings.authorizationServerUrl];
  return resource.authorizationServers ?? [`${url.origin}/`];
}
