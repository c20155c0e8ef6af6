/** The kind of endpoint a call came through; `server` is a configured MCP server that uses the model (sampling). */
export type DoorKind = "mcp-stdio" | "mcp-http" | "plugin" | "node" | "console" | "cli" | "app-proxy" | "server";

/** The only source, or the only sources, that a token gives access to. */
export type TokenView = string | readonly string[];

/** Who calls: everything the guard and the audit know about the caller. Never holds a secret. */
export interface Caller {
  readonly door: DoorKind;
  /** The name of the token (`main` for the main one), if the door has tokens. */
  readonly token?: string;
  /** Tells tokens of the same name apart: the beginning of the token's hash, if the door knows it. */
  readonly tokenKey?: string | undefined;
  /** The name the client gives itself in the handshake: shown, never trusted. */
  readonly client?: string;
  readonly sender?: string;
  /**
   * Known senders of a run into which several people may have written. `sender` is then missing, so that no rule allows the
   * call for one of them alone; rules that deny or ask see all of them.
   */
  readonly senders?: readonly string[];
  /** Whether OpenClaw says that the sender owns it. Only through the plugin door. */
  readonly isOwner?: boolean | undefined;
  /** The agent that acts for the caller. Through the plugin door it is the caller itself. */
  readonly agent?: string;
  /** The configured server that uses the model during a call of this caller. */
  readonly server?: string;
  /** The script that the caller sent, and which makes this call for it. It gives no rights, and takes none. */
  readonly script?: CallingScript | undefined;
  /** What its token gives access to; it stays so for everything done on the caller's behalf. */
  readonly view?: TokenView | undefined;
  /** Whether the call came from this machine, through a door that others can reach too. */
  readonly isLocal?: boolean | undefined;
  /** Only its hash is ever written down. */
  readonly sessionKey?: string;
}

export interface CallingScript {
  readonly id: string;
  /** The lines of its source around the call, for whoever is asked to approve it. */
  readonly around: string;
}

/** Whoever asked stays the caller of everything done for them: the agent is added, and nothing is taken away. */
export function actingFor(caller: Caller, agent: string): Caller {
  return { ...caller, agent: caller.agent ?? agent };
}

/** Whether the caller's token gives access to this source. */
export function isInView(source: string, { view }: Pick<Caller, "view">): boolean {
  return view === undefined || view === source || (typeof view !== "string" && view.includes(source));
}

/**
 * The right to control Clawport itself, as the control API demands it: the main token from this machine. Pipes and
 * terminals belong to processes of the owner, and OpenClaw says who its own owner is.
 */
export function mayControl({ door, token, agent, isLocal, isOwner }: Caller): boolean {
  // A message that an authorised sender typed in a chat. Tool calls of the agent bring the agent or a token with them.
  if (door === "plugin") return isOwner === true && token === undefined && agent === undefined;
  // Only a session of the console that was opened at a terminal may call.
  if (door === "console") return true;
  return door === "cli" || door === "mcp-stdio" || (door === "mcp-http" && token === "main" && isLocal === true);
}

/** The caller that asked, without those who act for it. */
export function originOf(caller: Caller): Caller {
  if (!isActedFor(caller)) return caller;
  const { agent: _, server: __, ...origin } = caller;
  return origin;
}

/**
 * As whom a call is judged: as the caller that asked, with the agent that acts for it, and as the server that uses the
 * model. The strictest verdict counts, so that acting for someone never gives more rights.
 */
export function identitiesOf(caller: Caller): readonly Caller[] {
  if (!isActedFor(caller)) return [caller];
  const origin = originOf(caller);
  const { agent, server } = caller;
  return [
    origin,
    ...(agent === undefined ? [] : [actingFor(origin, agent)]),
    ...(server === undefined ? [] : [{ door: "server", client: server } as const]),
  ];
}

/** Whether an agent or a server acts for the caller. */
export function isActedFor({ door, agent, server }: Caller): boolean {
  return server !== undefined || (agent !== undefined && door !== "plugin");
}

/**
 * The part of a caller that the door has verified. The client's name is not part of it: any client can claim any name.
 */
export interface CallerScope {
  readonly door: DoorKind;
  readonly token?: string;
  readonly tokenKey?: string | undefined;
  readonly sender?: string;
  readonly agent?: string;
}

export function scopeOfCaller(caller: Caller): CallerScope {
  const { door, token, tokenKey, agent } = caller;
  const sender = caller.sender ?? (caller.senders && unprovenSender(caller.senders));
  return {
    door,
    ...(token === undefined ? {} : { token }),
    ...(tokenKey === undefined ? {} : { tokenKey }),
    ...(sender === undefined ? {} : { sender }),
    ...(agent === undefined ? {} : { agent }),
  };
}

/** An answer for a run of several people, or of one who wrote before it but may not have started it, counts for such runs only. */
function unprovenSender(senders: readonly string[]): string {
  return senders.length === 1 ? `perhaps ${senders[0]}` : "several people";
}

export function callerScopeKey({ door, token, tokenKey, sender, agent }: CallerScope): string {
  return JSON.stringify([door, token, tokenKey, sender, agent]);
}

interface NamedCaller {
  readonly door: string;
  readonly token?: string | undefined;
  readonly client?: string | undefined;
  readonly sender?: string | undefined;
  readonly agent?: string | undefined;
  readonly server?: string | undefined;
}

/**
 * A caller by one name, for display and for a person to type: that of its token, or what else the door has verified. What a
 * client calls itself follows in brackets if it says more.
 */
export function callerName({ door, token, client, sender, agent, server }: NamedCaller): string {
  const who = token ?? sender ?? (door === "plugin" ? agent : undefined) ?? door;
  let name = who;
  if (client !== undefined && client.toLowerCase() !== who.toLowerCase()) name += ` (${client})`;
  if (token !== undefined && sender !== undefined) name += `, ${sender}`;
  if (agent !== undefined && agent !== who) name += `, agent ${agent}`;
  return server === undefined ? name : `${name}, server ${server}`;
}

/** The caller of a key that `callerScopeKey` made; its text if it is none. */
export function callerNameOfKey(key: string): string {
  const parts = parsedOrUndefined(key);
  if (!Array.isArray(parts) || typeof parts[0] !== "string") return key;
  const [door, token, , sender, agent] = parts.map((part) => (typeof part === "string" ? part : undefined));
  return callerName({ door: door ?? key, token, sender, agent });
}

function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
