/** The line for the shell's start-up file that every entry with `CLAWPORT_TOKEN` needs. */
export function exportTokenLine(tokenPath: string): string {
  return `export CLAWPORT_TOKEN="$(cat ${shellWord(tokenPath)})"`;
}

export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
