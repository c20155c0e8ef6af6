import { Fault } from "../../core/fault.ts";
import { sanitizeLine } from "../../core/text/peer-text.ts";
import { isInteractive } from "../../core/process/world.ts";
import { shapesOf } from "../../hub/presentation/argument-schema.ts";
import { typedValue } from "../../hub/presentation/typed-arguments.ts";
import type { Answer, Question } from "../../mcp/messages/interim-messages.ts";
import type { JsonSchema } from "../../mcp/messages/tool.ts";
import { createSchemaChecker } from "../../mcp/schema/schema-checker.ts";
import type { CommandContext } from "../command-context.ts";
import { isYes, runDialogue } from "./read-line.ts";
import type { StatusLine } from "./status-line.ts";

type Terminal = Pick<CommandContext, "ask" | "stderr" | "stdin">;

const maxAttempts = 3;

/**
 * Asks the user what a server wants to know during a call: forms field by field, addresses to open in a browser. When the
 * signal of the call aborts, no one is asked any longer.
 */
export async function askAtTerminal(
  question: Question,
  context: Terminal,
  signal: AbortSignal,
  line?: StatusLine,
): Promise<Answer> {
  const terminal: Terminal = { stdin: context.stdin, stderr: context.stderr, ask: (text) => context.ask(text, signal) };
  if (!isInteractive(terminal))
    throw new Fault("missing-capability", "The server asks a question, but there is no terminal to answer it at.");
  if (question.method !== "elicitation/create")
    throw new Fault("missing-capability", "The server asks for a model, but this command has none.");
  const { mode, message, url, requestedSchema } = question.params ?? {};
  return runDialogue(terminal.stdin, async () => {
    if (signal.aborted) return { action: "cancel" };
    line?.clear();
    terminal.stderr.write(`\nThe server asks: ${indentLines(message)}\n`);
    return mode === "url" ? askToOpen(url, terminal) : askForm(requestedSchema, terminal);
  });
}

async function askToOpen(url: unknown, { ask }: Terminal): Promise<Answer> {
  const typed = await ask(`Open this address in a browser:\n  ${sanitizeLine(asString(url))}\nDone? [y/N] `);
  if (typed === undefined) return { action: "cancel" };
  return { action: isYes(typed) ? "accept" : "decline" };
}

async function askForm(schema: unknown, terminal: Terminal): Promise<Answer> {
  const { properties, required } = (schema ?? {}) as { properties?: Record<string, JsonSchema>; required?: unknown };
  const requiredKeys: readonly unknown[] = Array.isArray(required) ? required : [];
  const typed = await terminal.ask("Answer? [Y/n] ");
  if (typed === undefined) return { action: "cancel" };
  if (typed.trim() !== "" && !isYes(typed)) return { action: "decline" };
  const content: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(properties ?? {})) {
    const value = await askField(key, field, requiredKeys.includes(key), terminal);
    if (value === cancelled) return { action: "cancel" };
    if (value !== undefined) content[key] = value;
  }
  return { action: "accept", content };
}

const cancelled = Symbol("cancelled");

async function askField(key: string, field: JsonSchema, isRequired: boolean, terminal: Terminal): Promise<unknown> {
  const prompt = createFieldPrompt(key, field, isRequired);
  const checker = createSchemaChecker();
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const typed = await terminal.ask(prompt.text);
    if (typed === undefined) return cancelled;
    if (typed.trim() === "") {
      if (field["default"] !== undefined) return field["default"];
      if (!isRequired) return undefined;
      terminal.stderr.write("  This field is required.\n");
      continue;
    }
    const parsed = await parseField(typed);
    if ("value" in parsed) return parsed.value;
    terminal.stderr.write(`  ${indentLines(parsed.message)}\n`);
  }
  return cancelled;

  async function parseField(typed: string): Promise<{ readonly value: unknown } | { readonly message: string }> {
    try {
      const choice = prompt.parse(typed.trim());
      const value = typeof choice === "string" ? typedValue(key, choice, shapesOf(field, field), field) : choice;
      const verdict = await checker.check(field, value);
      return verdict.ok ? { value } : { message: verdict.message };
    } catch (error) {
      if (error instanceof Fault) return { message: error.message };
      throw error;
    }
  }
}

/** The question for one field of a form, and how to read the answer. */
interface FieldPrompt {
  readonly text: string;
  /** Turns the numbers or titles of choices into their values, and yes and no into booleans. Leaves other text alone. */
  parse(typed: string): unknown;
}

interface FieldChoice {
  readonly value: unknown;
  readonly title: string;
}

function createFieldPrompt(key: string, field: JsonSchema, isRequired: boolean): FieldPrompt {
  const { title, description, type } = field;
  const isMany = type === "array";
  const choices = choicesIn(isMany ? ((field["items"] ?? {}) as JsonSchema) : field);
  const kind = type === "boolean" ? "yes or no" : asString(type) || "text";
  const chooseHint = isMany ? "numbers, separated by commas" : "a number";
  const hints = [
    choices.length === 0 ? kind : chooseHint,
    ...(isRequired ? [] : ["optional"]),
    ...(field["default"] === undefined ? [] : [`Enter for ${JSON.stringify(field["default"])}`]),
  ];
  const lines = [
    `${sanitizeLine(asString(title) || key)}${asString(description) === "" ? "" : `: ${indentLines(description)}`}`,
    ...choices.map((choice, index) => `  ${index + 1}) ${sanitizeLine(choice.title)}`),
  ];
  return {
    text: `${lines.join("\n")}\n  (${hints.map(sanitizeLine).join(", ")}) `,
    parse(typed) {
      if (type === "boolean" && /^(?:y|yes|n|no)$/i.test(typed)) return /^y/i.test(typed);
      if (choices.length === 0) return typed;
      if (!isMany) return chooseValue(typed, choices);
      return typed
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== "")
        .map((part) => chooseValue(part, choices));
    },
  };
}

function chooseValue(typed: string, choices: readonly FieldChoice[]): unknown {
  const byNumber = /^\d+$/.test(typed) ? choices[Number(typed) - 1] : undefined;
  const named = choices.find(({ value, title }) => value === typed || title.toLowerCase() === typed.toLowerCase());
  return (named ?? byNumber)?.value ?? typed;
}

function choiceText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The revisions write choices in two ways: `enum` with `enumNames`, or `oneOf` and `anyOf` of constants with titles. */
function choicesIn(field: JsonSchema): readonly FieldChoice[] {
  const titled = field["oneOf"] ?? field["anyOf"];
  if (Array.isArray(titled))
    return titled.map(({ const: value, title }: { const?: unknown; title?: unknown }) => ({
      value,
      title: asString(title) || choiceText(value),
    }));
  const { enumNames } = field as { enumNames?: unknown };
  if (!Array.isArray(field["enum"])) return [];
  return field["enum"].map((value: unknown, index) => ({
    value,
    title: (Array.isArray(enumNames) && asString(enumNames[index])) || choiceText(value),
  }));
}

function indentLines(text: unknown): string {
  return asString(text).split("\n").map(sanitizeLine).join("\n  ");
}

function asString(value: unknown): string {
  return typeof value === "string" ? value : "";
}
