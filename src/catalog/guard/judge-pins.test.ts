import { expect, test } from "vitest";
import { testTool } from "../../../tests/support/test-source.ts";
import {
  acceptPin,
  isHeldBack,
  judgeDefinitions,
  type ListedDefinition,
  pinKey,
  type PinMap,
  pinRulesOf,
  refusePin,
  shownOf,
  stateOfPin,
} from "./judge-pins.ts";
import { hashParts, toolParts } from "./pin-definition.ts";
import type { Pin } from "./pin-file.ts";

const at = "2026-01-01T00:00:00.000Z";
const room = { pins: 3, bytes: 100_000, definitionBytes: 1000, waitingBytes: 3000 };

function listed(name: string, description = "a"): ListedDefinition {
  const parts = toolParts(testTool(name, { description }));
  return { kind: "tool", id: name, name: () => `git__${name}`, parts, json: JSON.stringify(parts) };
}

const judge = (pins: PinMap, definitions: readonly ListedDefinition[], more: object = {}) =>
  judgeDefinitions(pins, definitions, { isListed: false, at, room, ...more });

test("what does not fit is left out, and nothing that is pinned gives way", () => {
  const { changed } = judge(new Map(), [listed("a"), listed("b"), listed("c")]);
  const full = judge(changed, [listed("d"), listed("a")]);
  expect([...full.leftOut]).toEqual(["tool d"]);
  expect(full.changed.size).toBe(0);
  const small = judge(new Map(), [listed("a"), listed("b")], { room: { ...room, bytes: 500 } });
  expect([...small.changed.keys(), ...small.leftOut]).toEqual(["tool a", "tool b"]);
});

test("a definition that is too large is pinned by its hash alone: its change is noticed, and the tool is hidden", () => {
  const large = listed("a", "x".repeat(2000));
  const { changed } = judge(new Map(), [large]);
  expect(changed.get("tool a")?.definition).toBeUndefined();
  expect(judge(changed, [large]).changed.size).toBe(0);
  const pin = judge(changed, [listed("a", "y".repeat(2000))]).changed.get("tool a")!;
  expect([stateOfPin(pin), shownOf(pin, pinRulesOf({}))]).toEqual(["changed", "hidden"]);
});

test("a pin of an older version keeps working, and its definition is kept from now on", () => {
  const { kind, id, parts, json } = listed("a");
  const old: Pin = { kind, id, hash: hashParts(parts), text: "…", at };
  const pins = new Map([[pinKey(old), old]]);
  expect(judge(pins, [listed("a")]).changed.get("tool a")).toEqual({ kind, id, hash: old.hash, definition: json, at });
  const changed = judge(pins, [listed("a", "b")]).changed.get("tool a")!;
  expect([stateOfPin(changed), shownOf(changed, pinRulesOf({}))]).toEqual(["changed", "hidden"]);
  const raw = toolParts(testTool("a", { description: "a\u200b" }));
  const hidden: Pin = { ...old, hash: hashParts(raw) };
  const cleaned = judge(new Map([["tool a", hidden]]), [{ ...listed("a"), rawParts: raw }]).changed.get("tool a")!;
  expect(cleaned).toMatchObject({ hash: old.hash, definition: json });
});

test("a changed tool that changes again waits with its latest definition, and that one is accepted", () => {
  let pins = judge(new Map(), [listed("a")]).changed;
  for (const text of ["b", "c"]) pins = judge(pins, [listed("a", text)]).changed;
  const pin = pins.get("tool a")!;
  expect(pin).toMatchObject({ name: "git__a", offered: { definition: listed("a", "c").json } });
  expect(judge(pins, [listed("a", "c")]).changed.size).toBe(0);
  const accepted = acceptPin(pin, at);
  expect([accepted.hash, stateOfPin(accepted)]).toEqual([hashParts(listed("a", "c").parts), "settled"]);
});

test.each([
  [{}, "pinned", "allow"],
  [{ preset: "strict" }, "pinned", "ask"],
  [{ preset: "strict", newTools: "allow" }, "pinned", "allow"],
  [{ preset: "open", changedTools: "hide" }, "hide", "allow"],
] as const)("under %j changed definitions are %s and new ones %s", (policy, changed, added) => {
  expect(pinRulesOf(policy)).toEqual({ changed, added });
});

test("an offer that an older version kept in part is kept whole when it is listed again, unless it is too large", () => {
  const { kind, id, parts, json } = listed("a");
  const offered = { hash: hashParts(listed("a", "b").parts), at };
  const old: Pin = { kind, id, hash: hashParts(parts), definition: json, at, name: "git__a", offered };
  const again = judge(new Map([["tool a", old]]), [listed("a", "b")]).changed.get("tool a");
  expect(again).toEqual({ ...old, offered: { ...offered, definition: listed("a", "b").json } });
  const large = listed("a", "x".repeat(5000));
  const pin = judge(new Map([["tool a", old]]), [large]).changed;
  expect(pin.get("tool a")?.offered).toEqual({ hash: hashParts(large.parts), at });
  expect(judge(pin, [large]).changed.size).toBe(0);
});

test("a new tool that is hidden stays hidden when its server changes it, changes it back, or it is rejected", () => {
  const rules = pinRulesOf({ newTools: "hide" });
  const added = judge(new Map(), [listed("a")], { isListed: true }).changed;
  const changed = judge(added, [listed("a", "b")]).changed;
  const withdrawn = judge(changed, [listed("a")]).changed;
  const pins = [added, changed, withdrawn].map((each) => each.get("tool a")!);
  const states = [...pins, refusePin(pins[1]!), refusePin(pins[2]!)];
  expect(states.map((pin) => [stateOfPin(pin), shownOf(pin, rules), isHeldBack(pin, rules)])).toEqual([
    ["new", "hidden", true],
    ["changed", "hidden", true],
    ["withdrawn", "hidden", true],
    ["refused", "hidden", true],
    ["refused", "hidden", true],
  ]);
});
