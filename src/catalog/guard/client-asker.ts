import type { CallContext } from "../tool-source.ts";
import type { Choice } from "../opinion.ts";
import type { Asker } from "./askers.ts";

const titles: Readonly<Record<Choice, string>> = {
  once: "Allow this once",
  always: "Always allow this",
  never: "Never allow this",
};

/** The calling client as an asker: a form (MCP elicitation) with the choices, put to whoever sits there. */
export function createClientAsker(context: CallContext): Asker {
  return {
    id: "client",
    kind: "client",
    available: () => true,
    async ask({ text, choices }) {
      const answer = {
        type: "string",
        title: "Your answer",
        enum: choices,
        enumNames: choices.map((choice) => titles[choice]),
      };
      const requestedSchema = { type: "object", properties: { answer }, required: ["answer"] };
      const reply = await context.ask({ method: "elicitation/create", params: { message: text, requestedSchema } });
      if (reply.action === "decline") return "no";
      if (reply.action !== "accept" || typeof reply.content !== "object" || reply.content === null) return undefined;
      const chosen = "answer" in reply.content ? reply.content.answer : undefined;
      return choices.find((choice) => choice === chosen);
    },
  };
}
