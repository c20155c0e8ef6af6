import { Fault } from "../../core/fault.ts";
import { createSchemaChecker } from "../../mcp/schema/schema-checker.ts";
import type { Answer, Question } from "../../mcp/question.ts";
import type { JsonSchema } from "../../mcp/tool.ts";
import { shapesOf } from "../../sources/servers/handlers/argument-schema.ts";
import { typedValue } from "../../sources/servers/handlers/typed-value.ts";
import type { CommandContext } from "../command-context.ts";
import { isAttended } from "../is-attended.ts";
import { plainText } from "../output/plain-text.ts";
import { fieldPrompt } from "./field-prompt.ts";

type Terminal = Pick<CommandContext, "ask" | "stderr" | "stdin">;

const mostTries = 3;

/** Puts what a server asks in the middle of a call to the person at the terminal: forms field by field, addresses to open. */
export async function askAtTerminal(question: Question, terminal: Terminal): Promise<Answer> {
  if (!isAttended(terminal))
    throw new Fault("missing-capability", "The server asks something, and nobody sits at a terminal here to answer.");
  if (question.method !== "elicitation/create")
    throw new Fault("missing-capability", "The server asks for a model, and there is none here.");
  const { mode, message, url, requestedSchema } = question.params ?? {};
  terminal.stderr.write(`\nThe server asks: ${lines(message)}\n`);
  return mode === "url" ? askToOpen(url, terminal) : askForm(requestedSchema, terminal);
}

async function askToOpen(url: unknown, { ask }: Terminal): Promise<Answer> {
  const typed = await ask(
    `Open this address in a browser:\n  ${plainText(typeof url === "string" ? url : "")}\nDone? [y/N] `,
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
  const prompt = fieldPrompt(key, field, isNeeded);
  const checker = createSchemaChecker();
  for (let tries = 0; tries < mostTries; tries++) {
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
  return (typeof text === "string" ? text : "").split("\n").map(plainText).join("\n  ");
}
