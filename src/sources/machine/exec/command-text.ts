/** The command as one line, quoted as OpenClaw does it. For people: it is never parsed. */
export function commandText(argv: readonly string[]): string {
  return argv.map(quoteWord).join(" ");
}

/** In quotes if it would look like several words. */
function quoteWord(word: string): string {
  if (word === "") return '""';
  return /[\s"]/.test(word) ? `"${word.replaceAll('"', '\\"')}"` : word;
}

/** Whether a line that a caller shows to people is the command that would run. */
export function isTextOf(raw: string, argv: readonly string[]): boolean {
  const line = raw.trim();
  if (line === commandText(argv) || line === argv.join(" ")) return true;
  // For a shell the line may be what it is given to run.
  const [shell = "", flag = "", script, ...rest] = argv;
  const isShell = /(?:^|[/\\])(?:ba|da|z|k|a|fi)?sh$/.test(shell) && /^-[a-z]*c$/.test(flag);
  return isShell && rest.length === 0 && script !== undefined && line === script.trim();
}
