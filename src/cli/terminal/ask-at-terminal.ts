import { Fault } from "../../core/fault.ts";
import { isInteractive } from "../../core/process/world.ts";
import { sanitizeLine } from "../../core/sanitize-text.ts";
import { shapesOf } from "../../hub/verbs/argument-schema.ts";
import { typedValue } from "../../hub/verbs/typed-arguments.ts";
import type { Answer, Question } from "../../mcp/messages/interim-messages.ts";
import type { JsonSchema } from "../../mcp/messages/tool.ts";
import { createSchemaChecker } from "../../mcp/schema/schema-checker.ts";
import type { CommandContext } from "../command-context.ts";

type Terminal = Pick<CommandContext, "ask" | "stderr" | "stdin">;

const maxAttempts = 3;

/** Puts what a server asks in the middle of a call to the person at the terminal: forms field by field, addresses to open. */
export async function askAtTerminal(question: Question, terminal: Terminal): Promise<Answer> {
  if (!isInteractive(terminal))
    throw new Fault("missing-capability", "The server asks something, and nobody sits at a terminal here to answer.");
  if (question.method !== "elicitation/create")
    throw new Fault("missing-capability", "The server asks for a model, and there is none here.");
  const { mode, message, url, requestedSchema } = question.params ?? {};
  terminal.stderr.write(`\nThe server asks: ${lines(message)}\n`);
  return mode === "url" ? askToOpen(url, terminal) : askForm(requestedSchema, terminal);
}

async function askToOpen(url: unknown, { ask }: Terminal): Promise<Answer> {
  const typed = await ask(
    `Open this address in a browser:\n  ${sanitizeLine(typeof url === "string" ? url : "")}\nDone? [y/N] `,
  );
  if (typed === undefined) return { action: "cancel" };
  return { action: isYes(typed) ? "accept" : "decline" };
}

async function askForm(schema: unknown, terminal: Terminal): Promise<Answer> {
  const { properties, required } = (schema ?? {}) as { properties?: Record<string, JsonSchema>; required?: unknown };
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const typed = await terminal.ask("Answer it? [Y/n] ");
  if (typed === undefined) return { action: "cancel" };
  if (typed.trim() !== "" && !isYes(typed)) return { action: "decline" };
  const content: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(properties ?? {})) {
    const value = await askField(key, field, needed.includes(key), terminal);
    if (value === cancelled) return { action: "cancel" };
    if (value !== undefined) content[key] = value;
  }
  return { action: "accept", content };
}

const cancelled = Symbol("cancelled");

async function askField(key: string, field: JsonSchema, isNeeded: boolean, terminal: Terminal): Promise<unknown> {
  const prompt = createFieldPrompt(key, field, isNeeded);
  const checker = createSchemaChecker();
  for (let tries = 0; tries < maxAttempts; tries++) {
    const typed = await terminal.ask(prompt.text);
    if (typed === undefined) return cancelled;
    if (typed.trim() === "") {
      if (field["default"] !== undefined) return field["default"];
      if (!isNeeded) return undefined;
      terminal.stderr.write("  It is needed.\n");
      continue;
    }
    const problem = await judge(typed);
    if ("value" in problem) return problem.value;
    terminal.stderr.write(`  ${lines(problem.message)}\n`);
  }
  return cancelled;

  async function judge(typed: string): Promise<{ readonly value: unknown } | { readonly message: string }> {
    try {
      const meant = prompt.meaningOf(typed.trim());
      const value = typeof meant === "string" ? typedValue(key, meant, shapesOf(field, field), field) : meant;
      const verdict = await checker.check(field, value);
      return verdict.ok ? { value } : { message: verdict.message };
    } catch (error) {
      if (error instanceof Fault) return { message: error.message };
      throw error;
    }
  }
}

function isYes(typed: string): boolean {
  return /^y(es)?$/i.test(typed.trim());
}

function lines(text: unknown): string {
  return (typeof text === "string" ? text : "").split("\n").map(sanitizeLine).join("\n  ");
}

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

function createFieldPrompt(key: string, field: JsonSchema, isNeeded: boolean): FieldPrompt {
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
    `${text(title) || sanitizeLine(key)}${text(description) === "" ? "" : `: ${text(description)}`}`,
    ...choices.map((choice, index) => `  ${index + 1}) ${sanitizeLine(choice.title)}`),
  ];
  const about = [hint, ...facts]
    .filter((part) => part !== "")
    .map(sanitizeLine)
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
