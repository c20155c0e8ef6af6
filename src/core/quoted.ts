/** Text of a peer or a person as it may stand in a message: on one line, in quotes, and no longer than it is of use. */
export function quoted(text: string, most = 200): string {
  return JSON.stringify(text.slice(0, most));
}
