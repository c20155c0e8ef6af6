import { isSecretField, mask, redactText } from "./redact.ts";
import { looksRandom } from "./secret-parts.ts";

/** Names that mean a secret only in a flag: elsewhere a key is a name, and a pass is a round. */
const secretFlag = /(?:^|[-_.])(?:key|pass|pat|auth)$|(?:Key|Pass|Pat|Auth)$/;
/** Flags that turn something off, say where a secret is, or count language tokens. */
const plainFlag =
  /^(?:no|disable|without)[-_.]|(?:file|path|dir|folder|jar|env|var|name)$|^max[-_](?:[\w-]+[-_])?tokens$/i;
/** Empty, a switch, a way to sign in, or a file. Absolute paths don't count: base64 may begin with a slash. */
const plainWord = /^(?:|true|false|on|off|none|basic|bearer|oauth2?)$|^(?:\.\.?|~)[/\\]|\.(?:json|txt|pem|key)$/i;
/** Only a reference to the environment, which shows a person that the secret is not in the file. */
const reference = /^(?:(?:Bearer|Basic|Token) +)?\$\{[A-Za-z_]\w*\}$/i;

/** A command line that is safe to show: also masks what follows a flag (`--token abc`) or a header with a secret's name. */
export function redactCommandLine(words: readonly string[]): string {
  return redactText(words.map((word, index) => maskArgument(words[index - 1], word)).join(" "));
}

/** Whether the argument is or contains a secret: by the flag before it, by a flag or header in it, or by its shape. */
export function isSecretArgument(before: string | undefined, word: string): boolean {
  return secretIn(before, word) !== undefined;
}

/** The secrets in the arguments of a command. */
export function secretArguments(args: readonly string[]): string[] {
  return args.flatMap((word, index) => secretIn(args[index - 1], word) ?? []);
}

function maskArgument(before: string | undefined, word: string): string {
  const secret = secretIn(before, word);
  return secret === undefined ? word : word.slice(0, word.length - secret.length) + mask;
}

/** The end of the word that is a secret. */
function secretIn(before: string | undefined, word: string): string | undefined {
  const [, flag, value = ""] = /^(--?[\w.-]+)=(.*)$/s.exec(word) ?? [];
  return secretValue(before, word) ?? (flag === undefined ? undefined : secretValue(flag, value));
}

function secretValue(before: string | undefined, word: string): string | undefined {
  if (isSecretOf(before, word) || looksRandom(word)) return word;
  // As for curl, `-u name:password`; for Docker it is two numbers.
  const [, password] = (/^(?:-u|--user)$/.test(before ?? "") && /^(?!\d+:\d+$)[^:/\s]+:([^:\s].*)$/s.exec(word)) || [];
  if (password !== undefined && !reference.test(password)) return password;
  const [, header, value = ""] = /^["']?([\w-]+):\s*(\S.*)$/s.exec(word) ?? [];
  return header !== undefined && isSecretField(header, value) && !reference.test(value) ? value : undefined;
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

/** A number may count language tokens. */
function toNumberIfDigits(word: string): string | number {
  return /^\d+$/.test(word) ? Number(word) : word;
}
