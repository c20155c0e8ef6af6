import { isSecret, redactText } from "./redact.ts";

/** Flags that turn something off, name the place where a secret is, or count tokens of language. */
const plainFlag =
  /^(?:no|disable|without)[-_.]|(?:file|path|dir|folder|jar|env|var|name)$|^max[-_](?:[\w-]+[-_])?tokens$/i;
/** Nothing, a switch, or a file. A path from the root is not among them: base64 may begin with a slash. */
const plainWord = /^(?:|true|false|on|off)$|^(?:\.\.?|~)[/\\]|\.(?:json|txt|pem|key)$/i;

/** A command line as it may be shown: what follows a flag (`--token abc`) or a header of a secret's name is masked, too. */
export function redactWords(words: readonly string[]): string {
  const shown = words.map((word, index) => {
    if (isSecretOf(words[index - 1], word)) return "[redacted]";
    const [, header] = /^([\w-]+):/.exec(word) ?? [];
    return header !== undefined && isSecret(header, word) ? `${header}: [redacted]` : word;
  });
  return redactText(shown.join(" "));
}

/** Whether the word before is a flag that a secret follows. */
export function isSecretOf(before: string | undefined, word: string): boolean {
  const [, flag] = /^--?(\w[\w-]*)$/.exec(before ?? "") ?? [];
  if (flag === undefined || plainFlag.test(flag) || plainWord.test(word) || isFlag(word)) return false;
  return isSecret(flag, valueOf(word));
}

function isFlag(word: string): boolean {
  return /^(?:--|-\w$)/.test(word);
}

/** A number may count tokens of language. */
function valueOf(word: string): string | number {
  return /^\d+$/.test(word) ? Number(word) : word;
}
