import { expect, test } from "vitest";
import type { ReplyMedia } from "../reply-backend.ts";
import { type AgentOutput, mergeOutputs } from "./merge-outputs.ts";

function merge(...outputs: AgentOutput[]): string[] {
  return mergeOutputs(outputs).map((part) => ("text" in part ? part.text : `<${part.media.id}>`));
}

function media(id: string): ReplyMedia {
  return { id, name: id, mimeType: "image/png", bytes: 1, read: () => Promise.resolve(Buffer.alloc(1)) };
}

test("blocks, tool outputs and the final text come in order", () => {
  const answer = merge({ kind: "block", text: "one" }, { kind: "tool", text: "two" }, { kind: "final", text: "three" });
  expect(answer).toEqual(["one", "two", "three"]);
});

test("a final text that repeats the blocks appears once, as it was written", () => {
  const answer = merge(
    { kind: "block", text: "First paragraph." },
    { kind: "block", text: "Second one." },
    { kind: "final", text: "First paragraph.\nSecond one." },
  );
  expect(answer).toEqual(["First paragraph.\nSecond one."]);
});

test("a final text that continues the blocks replaces only those it repeats", () => {
  const answer = merge(
    { kind: "block", text: "Let me look." },
    { kind: "block", text: "It is" },
    { kind: "final", text: "It is blue." },
  );
  expect(answer).toEqual(["Let me look.", "It is blue."]);
});

test("texts that differ in white space only appear once", () => {
  const answer = merge(
    { kind: "block", text: "a  b\n" },
    { kind: "tool", text: "other" },
    { kind: "block", text: " a b" },
    { kind: "final", text: "a\n\nb" },
  );
  expect(answer).toEqual(["a  b", "other"]);
});

test("a short text inside a longer one is kept", () => {
  expect(merge({ kind: "block", text: "yes" }, { kind: "final", text: "no, not yes" })).toEqual(["yes", "no, not yes"]);
});

test("partial texts count only if no finished text followed", () => {
  expect(merge({ kind: "partial", text: "It" }, { kind: "partial", text: "It is" })).toEqual(["It is"]);
  expect(merge({ kind: "partial", text: "It is bl" }, { kind: "final", text: "It is blue" })).toEqual(["It is blue"]);
  const broken = merge({ kind: "block", text: "one" }, { kind: "partial", text: "tw" }, { kind: "tool", text: "x" });
  expect(broken).toEqual(["one", "tw", "x"]);
});

test("media keep their place, and the same one appears once", () => {
  const answer = merge(
    { kind: "block", text: "look:", media: [media("a")] },
    { kind: "tool", media: [media("b"), media("a")] },
    { kind: "final", text: "done", media: [media("a")] },
  );
  expect(answer).toEqual(["look:", "<a>", "<b>", "done"]);
});

test("parts of the final answer are never taken for repeats of each other", () => {
  const parts = [{ text: "1" }, { media: [media("a")] }, { text: "12" }, { media: [media("b")] }, { text: "1" }];
  expect(merge(...parts.map((part) => ({ kind: "final" as const, ...part })))).toEqual(["1", "<a>", "12", "<b>", "1"]);
});

test("white space alone is not an answer", () => {
  expect(merge({ kind: "block", text: " \n" }, { kind: "final", text: "" })).toEqual([]);
});
