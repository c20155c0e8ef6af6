import type { JsonSchema } from "../../mcp/tool.ts";
import { plainText } from "../output/plain-text.ts";

/** How one field of a form is asked for, and what is meant by what was typed. */
export interface FieldPrompt {
  readonly text: string;
  /** The number of a choice, or several parted by commas, stand for their values; yes and no for true and false. */
  meaningOf(typed: string): unknown;
}

interface FieldChoice {
  readonly value: unknown;
  readonly title: string;
}

export function fieldPrompt(key: string, field: JsonSchema, isNeeded: boolean): FieldPrompt {
  const { title, description, type } = field;
  const isMany = type === "array";
  const choices = choicesIn(isMany ? ((field["items"] ?? {}) as JsonSchema) : field);
  const standard = field["default"] === undefined ? [] : [`Enter for ${JSON.stringify(field["default"])}`];
  const facts = [
    ...(choices.length === 0 ? [type === "boolean" ? "yes or no" : text(type) || "text"] : []),
    ...(isNeeded ? [] : ["may be left out"]),
    ...standard,
  ];
  const hint = choices.length === 0 ? "" : isMany ? "numbers, parted by commas" : "a number";
  const lines = [
    `${text(title) || plainText(key)}${text(description) === "" ? "" : `: ${text(description)}`}`,
    ...choices.map((choice, index) => `  ${index + 1}) ${plainText(choice.title)}`),
  ];
  const about = [hint, ...facts]
    .filter((part) => part !== "")
    .map(plainText)
    .join(", ");
  return {
    text: `${lines.join("\n")}\n  (${about}) `,
    meaningOf(typed) {
      if (type === "boolean" && /^(?:y|yes|n|no)$/i.test(typed)) return /^y/i.test(typed);
      if (choices.length === 0) return typed;
      if (!isMany) return chosen(typed, choices);
      return typed
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== "")
        .map((part) => chosen(part, choices));
    },
  };
}

function chosen(typed: string, choices: readonly FieldChoice[]): unknown {
  const byNumber = /^\d+$/.test(typed) ? choices[Number(typed) - 1] : undefined;
  const named = choices.find(({ value, title }) => value === typed || title.toLowerCase() === typed.toLowerCase());
  return (named ?? byNumber)?.value ?? typed;
}

/** As the revisions write them: `enum` with `enumNames`, or `oneOf` and `anyOf` of constants with titles. */
function choicesIn(field: JsonSchema): readonly FieldChoice[] {
  const titled = field["oneOf"] ?? field["anyOf"];
  if (Array.isArray(titled))
    return titled.map(({ const: value, title }: { const?: unknown; title?: unknown }) => ({
      value,
      title: text(title) || String(value),
    }));
  const { enumNames } = field as { enumNames?: unknown };
  if (!Array.isArray(field["enum"])) return [];
  return field["enum"].map((value: unknown, index) => ({
    value,
    title: (Array.isArray(enumNames) && text(enumNames[index])) || String(value),
  }));
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
