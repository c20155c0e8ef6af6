import { isSecret, redactText } from "./redact.ts";

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
  return flag !== undefined && !isFlag(word) && isSecret(flag, valueOf(word));
}

function isFlag(word: string): boolean {
  return /^(?:--|-\w$)/.test(word);
}

/** A number may count tokens of language. */
function valueOf(word: string): string | number {
  return /^\d+$/.test(word) ? Number(word) : word;
}
