import type { ClientAnswers } from "./test-client.ts";

/** What the person behind every test client says, until a test wants something else. */
export const usualAnswers: ClientAnswers = {
  elicitation: {
    action: "accept",
    content: { name: "Alice", username: "alice", email: "alice@example.com", ok: true },
  },
};

/** What the model of every test client says. */
export const modelAnswer = {
  role: "assistant",
  content: { type: "text", text: "Good morning" },
  model: "test-model",
} as const;

export const rootsAnswer = { roots: [{ uri: "file:///test/root", name: "Test root" }] };
