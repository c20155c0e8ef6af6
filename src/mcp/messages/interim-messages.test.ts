import { expect, test } from "vitest";
import { type Question, questionIn } from "./interim-messages.ts";

const page = (more: object): Question => ({
  method: "elicitation/create",
  params: { mode: "url", url: "https://example.com", message: "Go", ...more },
});

test("a URL to open has an id for older clients, its own if there is one, and none for modern ones", () => {
  expect(questionIn("legacy", page({ elicitationId: "7" }))).toEqual(page({ elicitationId: "7" }));
  expect(questionIn("legacy", page({}))).toEqual(page({ elicitationId: expect.stringMatching(/^[\da-f-]{36}$/) }));
  expect(questionIn("modern", page({ elicitationId: "7" }))).toEqual(page({}));
  expect(questionIn("modern", page({}))).toEqual(page({}));
});

test("other questions are the same in both eras", () => {
  const form: Question = { method: "elicitation/create", params: { message: "?", elicitationId: "theirs" } };
  for (const question of [form, { method: "roots/list" } as const])
    for (const era of ["legacy", "modern"] as const) expect(questionIn(era, question)).toBe(question);
});
