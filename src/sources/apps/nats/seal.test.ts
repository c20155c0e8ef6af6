import { expect, test } from "vitest";
import { Secret } from "../../../core/secrets/secret.ts";
import { createSeal } from "./seal.ts";

const keyOf = (text: string) => new Secret(text.repeat(40));
const data = Buffer.from("data");

test("a seal is for one key, one prefix, one use and one text", () => {
  const own = createSeal({ keys: [keyOf("a")], prefix: "p" })!;
  const seal = own.make("subject", "data");
  expect(own.isOurs(seal, "subject", data, "message")).toBe(true);
  expect(own.isOurs(seal, "other", data, "message")).toBe(false);
  expect(own.isOurs(seal, "subject", Buffer.from("Data"), "message")).toBe(false);
  expect(createSeal({ keys: [keyOf("b")], prefix: "p" })!.isOurs(seal, "subject", data, "message")).toBe(false);
  expect(createSeal({ keys: [keyOf("a")], prefix: "q" })!.isOurs(seal, "subject", data, "message")).toBe(false);
  for (const wrong of [undefined, "", " ", seal.slice(0, -1), `x${seal}`, seal.replace(/ .*/, "")])
    expect(own.isOurs(wrong, "subject", data, "message")).toBe(false);
});

test("an old message is refused, an old record is not", () => {
  let now = 1_000_000;
  const seal = createSeal({ keys: [keyOf("a")], prefix: "p", now: () => now })!;
  const made = seal.make("subject", "data");
  for (const [at, isYoung] of [
    [60_000, true],
    [60_001, false],
    [-60_001, false],
  ] as const) {
    now = 1_000_000 + at;
    expect(seal.isOurs(made, "subject", data, "message")).toBe(isYoung);
    expect(seal.isOurs(made, "subject", data, "record")).toBe(true);
  }
});

test("with two keys the first seals, and what either has sealed is ours", () => {
  const [old, both, fresh] = [[keyOf("a")], [keyOf("b"), keyOf("a")], [keyOf("b")]].map((keys) =>
    createSeal({ keys, prefix: "p" })!,
  );
  const isOurs = (seal: typeof old, made: string) => seal!.isOurs(made, "s", data, "record");
  expect(isOurs(both, old!.make("s", "data"))).toBe(true);
  expect(isOurs(fresh, both!.make("s", "data"))).toBe(true);
  expect(isOurs(old, both!.make("s", "data"))).toBe(false);
});

test("without a key nothing is sealed", () => {
  expect(createSeal({ keys: [], prefix: "p" })).toBeUndefined();
});
