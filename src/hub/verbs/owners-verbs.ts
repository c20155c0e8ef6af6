/** Verbs that change something, or show what only the owner may see. */
const ownersVerbs: ReadonlySet<string> = new Set(["connect", "disconnect", "auth", "refresh", "logs"]);

/** Whether only the owner may use this verb of `/mcp`. In a chat of OpenClaw a typed call is not asked about, so it is one. */
export function isOwnersVerb(verb: string, isInChat: boolean): boolean {
  return ownersVerbs.has(verb) || (isInChat && verb === "call");
}

/** The same for a whole command of a chat, without `/mcp`. */
export function isOwnersCommand(command: string): boolean {
  return isOwnersVerb(/^\s*(\S*)/.exec(command)?.[1] ?? "", true);
}
