/** Messages from below name the commands of a terminal, which the reader in a chat may not have. */
export function withChatCommands(text: string): string {
  return text.replaceAll(
    /\bclawport (?=(?:servers|tools|status|connect|disconnect|auth|refresh|logs|call)\b)/g,
    "/mcp ",
  );
}
