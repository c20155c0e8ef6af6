import type { Answer, Question } from "../../src/mcp/messages/interim-messages.ts";

/** A person who accepts every form as it is filled in already, and a model that says one thing. */
export function answerQuestion({ method, params }: Question): Answer {
  if (method === "sampling/createMessage")
    return { role: "assistant", model: "mock", content: { type: "text", text: "Hello" } };
  const schema = params?.requestedSchema as { properties?: Record<string, { default?: unknown }> } | undefined;
  const filled = Object.entries(schema?.properties ?? {}).filter(([, field]) => field.default !== undefined);
  return { action: "accept", content: Object.fromEntries(filled.map(([name, field]) => [name, field.default])) };
}
