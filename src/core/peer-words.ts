import { quoted } from "./quoted.ts";
import { redactText } from "./redact-text.ts";

/** As much as `redactText` looks at. */
const mostLookedAt = 8192;

/** What a peer said, as it may stand in a message. It is masked before it is cut: half a key looks like no key. */
export function peerWords(text: string, most = 200): string {
  return quoted(redactText(text), most);
}

/** The last of what a peer said, which is usually why it went. */
export function lastPeerWords(text: string, most: number): string {
  return quoted(redactText(text.slice(-mostLookedAt)).slice(-most), most);
}
