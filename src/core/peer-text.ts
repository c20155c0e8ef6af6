import { redactText } from "./secrets/redact.ts";

/** Text of a peer or a person as it may stand in a message: on one line, in quotes, and no longer than it is of use. */
export function quoted(text: string, most = 200): string {
  return JSON.stringify(text.slice(0, most));
}

/** As much as `redactText` looks at. */
const mostRedacted = 8192;

/** What a peer said, as it may stand in a message. It is masked before it is cut: half a key looks like no key. */
export function quotedPeerText(text: string, most = 200): string {
  return quoted(redactText(text), most);
}

/** The last lines of what a peer said, as many as fit, which usually hold why it went. */
export function quotedPeerTail(text: string, most: number): string {
  const [first = "", ...more] = redactText(text.slice(-mostRedacted)).split(/[\n\r]+/);
  // The beginning of the first line may be cut off, and a key that begins there is not known for one.
  const isCut = text.length > mostRedacted && more.length > 0;
  const lines = (isCut ? more : [first, ...more]).map((line) => line.trim()).filter((line) => line !== "");
  let said = lines.pop() ?? "";
  if (said.length > most) return JSON.stringify(`…${lastWords(said, most)}`);
  for (const line of lines.toReversed()) {
    if (line.length + said.length + 3 > most) break;
    said = `${line} / ${said}`;
  }
  return quoted(said, most);
}

/** From the beginning of a word on, where there is one. */
function lastWords(line: string, most: number): string {
  const end = line.slice(-most);
  return end.slice(end.indexOf(" ") + 1);
}
