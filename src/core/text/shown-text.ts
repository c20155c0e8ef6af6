import type { Secret } from "../secrets/secret.ts";

/** A value that the configuration took from a variable. */
export interface NamedSecret {
  readonly name: string;
  readonly value: Secret;
}

/**
 * What has no shape of its own, or changes the shape of what is beside it: control characters, direction marks, tags,
 * spaces that are not the usual one, unassigned and private characters, halves of a pair, and marks piled on others.
 */
const unseen =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}|(?<=\p{M}{3})\p{M}|(?<![\p{L}\p{N}\p{S}\p{M}])\p{M}/gu;

const codeOf = (character: string): string => `\\u{${character.codePointAt(0)!.toString(16)}}`;

const shortForms: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" };

/**
 * The whole text on one line, for a person who decides about it. What does not print is written as an escape, and a
 * backslash is doubled, so that what is shown stands for one text only.
 */
export function shownText(text: string): string {
  return shownLines(text.replace(/[\n\r\t\\]/g, (character) => shortForms[character]!));
}

/** A text of several lines that are ours, with values in it that were shown already: only what must not print is escaped. */
export function shownLines(text: string): string {
  return text.replace(notPlain, (run) => run.replace(unseen, codeOf));
}

/** What may be unseen, and the character before it, on which that may depend. Only this much is looked at closely. */
const notPlain = /[ -~│]?[^\n -~│]+/g;

const lineBreak = String.raw`\n`;
const maxRowLength = 100;
/** Begins a row that continues a text after a line break in it. No row of JSON begins so. */
const continued = "│ ";

/**
 * A JSON value, whole, for a person who decides about it: on one row if it is short, else in indented rows, with a row
 * for each line of a text. A text can't imitate a row of its own: its quotes and line breaks are escaped.
 */
export function shownJson(value: unknown): string {
  const json = JSON.stringify(value) ?? "none";
  if (json.length <= maxRowLength && !json.includes(lineBreak)) return shownLines(json);
  return shownLines(JSON.stringify(value, undefined, 2))
    .split("\n")
    .map((row) => {
      if (!row.includes(lineBreak)) return row;
      const indent = /^ */.exec(row)![0];
      return row.replace(escapes, (found) => (found === lineBreak ? `${found}\n${indent}  ${continued}` : found));
    })
    .join("\n");
}

/** The words of a command, each in quotes, so that it is seen where one ends. */
export function shownWords(words: readonly string[]): string {
  return words.map((word) => shownLines(JSON.stringify(word))).join(" ");
}

const anyEscape = String.raw`\\(?:u\{[0-9a-f]+\}|u[0-9a-f]{4}|[^u])`;
const escapes = new RegExp(anyEscape, "g");

/** Shorter values may be ordinary words. */
const shortestSecret = 6;

/** Writes `\($NAME)` for every value of the configuration's variables in a text that was made with the functions above. */
export function nameSecrets(shown: string, secrets: readonly NamedSecret[]): string {
  const known = secrets
    .map(({ name, value }) => ({ name, value: value.reveal() }))
    .filter(({ value }) => value.length >= shortestSecret)
    .toSorted((a, b) => b.value.length - a.value.length);
  if (known.length === 0) return shown;
  const forms = known.map(({ name, value }) => ({ name, form: formsOf(value).join("|") }));
  const anyForm = forms.map(({ form }) => form).join("|");
  // Most texts have none, and then need not be read escape by escape.
  if (!new RegExp(anyForm).test(shown)) return shown;
  return shown.replace(new RegExp(`(${anyForm})|${anyEscape}`, "g"), (found: string, secret: string | undefined) => {
    if (secret === undefined) return found;
    const { name } = forms.find(({ form }) => new RegExp(`^(?:${form})$`).test(found))!;
    return `\\($${name})`;
  });
}

/** A secret as both functions write it, its lines perhaps in rows. */
function formsOf(value: string): readonly string[] {
  const forms = new Set([shownText(value), shownLines(JSON.stringify(value).slice(1, -1))]);
  return [...forms].map((form) =>
    form.replace(new RegExp(`${anyEscape}|[^]`, "g"), (unit) => {
      const literal = unit.replaceAll(/[^\w\s]/g, String.raw`\$&`);
      return unit === lineBreak ? `${literal}(?:\\n *${continued})?` : literal;
    }),
  );
}

/** How much a surface shows at once. */
export interface ShownRoom {
  readonly maxLength: number;
  readonly maxLines?: number;
}

/** Whether a surface shows the whole text. If not, it must not take a yes: it can offer a no, and a way to see the rest. */
export function fitsWhole(text: string, { maxLength, maxLines }: ShownRoom): boolean {
  if (text.length > maxLength) return false;
  return maxLines === undefined || text.split("\n", maxLines + 1).length <= maxLines;
}
