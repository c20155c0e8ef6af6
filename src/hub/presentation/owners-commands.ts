/** Commands of `/mcp` that change something, or show what only the owner may see. */
const ownersWords: ReadonlySet<string> = new Set(["connect", "disconnect", "auth", "refresh", "logs"]);

/** Whether only the owner may use this command of `/mcp`. In a chat of OpenClaw a typed call is not asked about, so it is one. */
export function isOwnersWord(word: string, isInChat: boolean): boolean {
  return ownersWords.has(word) || (isInChat && word === "call");
}

/** The same for a whole command of a chat, without `/mcp`. */
export function isOwnersCommand(command: string): boolean {
  return isOwnersWord(/^\s*(\S*)/.exec(command)?.[1] ?? "", true);
}
