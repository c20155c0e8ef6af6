import { expect, test } from "vitest";
import { parseA2ui } from "./a2ui-messages.ts";
import { applyMessages } from "./a2ui-surfaces.ts";
import { treeOf } from "./a2ui-tree.ts";

const lines = (...messages: object[]): string => messages.map((message) => JSON.stringify(message)).join("\n");
const components = (...list: object[]): object => ({ surfaceUpdate: { surfaceId: "s", components: list } });
const root = { beginRendering: { surfaceId: "s", root: "root" } };
const data = (path: string, ...contents: object[]): object => ({ dataModelUpdate: { surfaceId: "s", path, contents } });
const build = (...messages: object[]) => applyMessages(new Map(), parseA2ui(lines(...messages)));

test.each([
  ["[]", "line 1: is not an object"],
  ["{}", "line 1: must have exactly one of the keys"],
  ['{"beginRendering":{"surfaceId":"s","root":"r"},"deleteSurface":{"surfaceId":"s"}}', "exactly one"],
  ['{"__proto__":{"surfaceId":"s"}}', "exactly one"],
  ['{"beginRendering":{"root":"r"}}', "`surfaceId` must be"],
  ['\n\n{"surfaceUpdate":{"surfaceId":"s","components":[{"id":"a"}]}}', "line 3: each component needs"],
  ['{"dataModelUpdate":{"surfaceId":"s","contents":[{"key":"a"}]}}', "valueString"],
  ["\n \n", "There is no message"],
  ["{}\n".repeat(5000), "line 1"],
])("%j is refused by its line", (jsonl, message) => {
  expect(() => parseA2ui(jsonl)).toThrow(message);
});

test("nothing of a wrong line is repeated", () => {
  expect(() => parseA2ui("root:x:0:0:root:/root")).toThrow(/^INVALID_REQUEST: line 1: is not JSON\.$/);
});

test("data is merged by path, and keys of objects are only keys", () => {
  const surfaces = build(
    data("/", { key: "a", valueMap: [{ key: "b", valueString: "1" }] }),
    data("/a", { key: "c", valueNumber: 2 }),
    data("__proto__", { key: "polluted", valueBoolean: true }),
    data("/", { key: "constructor", valueString: "x" }),
  );
  expect(JSON.parse(JSON.stringify(surfaces.get("s")?.data))).toEqual(
    JSON.parse('{"a":{"b":"1","c":2},"__proto__":{"polluted":true},"constructor":"x"}'),
  );
  expect({}).not.toHaveProperty("polluted");
});

test("all messages are applied, or none", () => {
  const before = build(components({ id: "root", component: { Text: { text: { literalString: "old" } } } }), root);
  const many = Array.from({ length: 5001 }, (_, index) => ({ id: `c${index}`, component: { Divider: {} } }));
  expect(() => applyMessages(before, parseA2ui(lines(components(...many))))).toThrow("PAYLOAD_TOO_LARGE");
  expect(before.get("s")?.components.size).toBe(1);
  expect(applyMessages(before, parseA2ui(lines({ deleteSurface: { surfaceId: "s" } }))).size).toBe(0);
});

test("a component that contains itself ends, and one that is unknown is shown as such", () => {
  const self = {
    id: "root",
    component: { Column: { children: { explicitList: ["root", "root", "odd", "missing"] } } },
  };
  const [surface] = treeOf(build(components(self, { id: "odd", component: { Hologram: {} } }), root));
  const count = (node: object): number =>
    1 + ((node as { children?: object[] }).children ?? []).map(count).reduce((sum, more) => sum + more, 0);
  expect(count(surface!)).toBeLessThan(10_100);
  expect(JSON.stringify(surface)).toContain("(Hologram)");
});

test("texts stay texts, whatever they hold", () => {
  const text = "<img src=x onerror=alert(1)>";
  const [surface] = treeOf(
    build(components({ id: "root", component: { Text: { text: { literalString: text } } } }), root),
  );
  expect(surface?.children).toEqual([{ tag: "p", kind: "text", text }]);
});
