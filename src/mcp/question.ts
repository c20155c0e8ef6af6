/**
 * Something only the other side can answer: its person (elicitation), its model (sampling) or its folders (roots).
 * The shape is that of an MCP `inputRequests` entry; in the older eras it travels as a request of its own.
 */
export interface Question {
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The result object of the answered request, as the client sent it: check it before use. */
export type Answer = Readonly<Record<string, unknown>>;
