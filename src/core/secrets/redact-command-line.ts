import { isSecretField, redactText } from "./redact.ts";

const mask = "[redacted]";

/** Names that tell of a secret in a flag only: elsewhere a key is a name, and a pass is a round. */
const secretFlag = /(?:^|[-_.])(?:key|pass|pat|auth)$|(?:Key|Pass|Pat|Auth)$/;
/** Flags that turn something off, name the place where a secret is, or count tokens of language. */
const plainFlag =
  /^(?:no|disable|without)[-_.]|(?:file|path|dir|folder|jar|env|var|name)$|^max[-_](?:[\w-]+[-_])?tokens$/i;
/** Nothing, a switch, a way to sign in, or a file. A path from the root is none: base64 may begin with a slash. */
const plainWord = /^(?:|true|false|on|off|none|basic|bearer|oauth2?)$|^(?:\.\.?|~)[/\\]|\.(?:json|txt|pem|key)$/i;
/** Nothing but a name in the environment: what tells a person that the secret is kept well already. */
const reference = /^(?:(?:Bearer|Basic|Token) +)?\$\{[A-Za-z_]\w*\}$/i;

/** A command line as it may be shown: what follows a flag (`--token abc`) or a header of a secret's name is masked, too. */
export function redactCommandLine(words: readonly string[]): string {
  return redactText(words.map((word, index) => maskArgument(words[index - 1], word)).join(" "));
}

/** Whether the word is or holds a secret by the flag before it, or by a flag or a header in it. */
export function isSecretArgument(before: string | undefined, word: string): boolean {
  return maskArgument(before, word) !== word;
}

function maskArgument(before: string | undefined, word: string): string {
  const masked = maskValue(before, word);
  const [, flag, value = ""] = /^(--?[\w.-]+)=(.*)$/s.exec(word) ?? [];
  return flag === undefined || masked !== word ? masked : `${flag}=${maskValue(flag, value)}`;
}

function maskValue(before: string | undefined, word: string): string {
  if (isSecretOf(before, word)) return mask;
  const [, header, value = ""] = /^["']?([\w-]+):\s*(\S.*)$/s.exec(word) ?? [];
  return header !== undefined && isSecretField(header, value) && !reference.test(value) ? `${header}: ${mask}` : word;
}

function isSecretOf(before: string | undefined, word: string): boolean {
  const [, flag] = /^--?(\w[\w.-]*)$/.exec(before ?? "") ?? [];
  if (flag === undefined || plainFlag.test(flag) || isFlag(word)) return false;
  if (plainWord.test(word) || reference.test(word)) return false;
  return secretFlag.test(flag) || isSecretField(flag, toNumberIfDigits(word));
}

function isFlag(word: string): boolean {
  return /^(?:--|-\w$)/.test(word);
}

/** A number may count tokens of language. */
function toNumberIfDigits(word: string): string | number {
  return /^\d+$/.test(word) ? Number(word) : word;
}
