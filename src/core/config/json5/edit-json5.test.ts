import * as fc from "fast-check";
import JSON5 from "json5";
import { expect, test } from "vitest";
import { appendJson5, removeJson5, setJson5 } from "./edit-json5.ts";
import { readJson5 } from "./read-json5.ts";

const added = { b: { url: "https://b.example/" } };

test("an entry is added after the others, with their indentation, and comments stay where they are", () => {
  const text = `// my servers
{
  hub: { port: 9000 }, // the port, everywhere
  servers: {
    // the first
    a: { command: "x" } // a, b
  },
  debug: true /* for now */
}
`;
  expect(appendJson5(text, ["servers"], added)).toBe(`// my servers
{
  hub: { port: 9000 }, // the port, everywhere
  servers: {
    // the first
    a: { command: "x" }, // a, b
    b: {
      url: "https://b.example/",
    },
  },
  debug: true /* for now */
}
`);
});

test("a missing object is made at the end", () => {
  expect(appendJson5("{\n\tdebug: true,\n}\n", ["servers"], added)).toBe(
    '{\n\tdebug: true,\n\tservers: {\n\t\tb: {\n\t\t\turl: "https://b.example/",\n\t\t},\n\t},\n}\n',
  );
});

test("an empty file becomes a whole one", () => {
  const whole = '{\n  servers: {\n    b: {\n      url: "https://b.example/",\n    },\n  },\n}\n';
  expect(appendJson5("", ["servers"], added)).toBe(whole);
  expect(appendJson5("{}\n", ["servers"], added)).toBe(whole);
});

test("a file in the style of JSON stays JSON", () => {
  const text = '{\n  "servers": {\n    "a": { "command": "x" }\n  }\n}';
  const longer = appendJson5(text, ["servers"], added);
  expect(JSON.parse(longer)).toEqual({ servers: { a: { command: "x" }, ...added } });
  expect(longer).toBe(
    '{\n  "servers": {\n    "a": { "command": "x" },\n    "b": {\n      "url": "https://b.example/"\n    }\n  }\n}',
  );
});

test.each([
  ["bare", '{\n  servers: {\n    "a-b": {\n      url: "x",\n    },\n  },\n}\n', "    b: {\n      url: "],
  [
    "quoted, with comments",
    '{\n  // mine\n  "servers": {\n    "a-b": { "url": "x" }\n  }\n}\n',
    '    "b": {\n      "url": ',
  ],
])("after a key that needs its quotes, keys are written as elsewhere: %s", (_style, text, expected) => {
  expect(appendJson5(text, ["servers"], added)).toContain(`\n${expected}"https://b.example/"`);
});

test("Windows line endings are kept", () => {
  expect(appendJson5("{\r\n  debug: true\r\n}\r\n", ["servers"], added).replaceAll("\r\n", "")).not.toContain("\n");
});

test.each([
  "{servers:{a:{}}}",
  "{ servers: { a: {}, /* x, y */ }, }",
  "{servers:{/* none */}}",
  "{servers:{a:{}//,\n}}",
])("%s can be extended", (text) => {
  const longer = appendJson5(text, ["servers"], { b: { command: "y" } });
  expect(JSON5.parse(longer)).toMatchObject({ servers: { b: { command: "y" } } });
  expect(longer.match(/\/\*.*?\*\/|\/\/.*/g)).toEqual(text.match(/\/\*.*?\*\/|\/\/.*/g));
});

test("any configuration can be extended, and everything in it survives", () => {
  const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }));
  const layout = fc.record({
    space: fc.constantFrom(0, 2, "\t"),
    isJson: fc.boolean(),
    gap: fc.constantFrom("", " // a, b\n", "/* } */"),
  });
  fc.assert(
    fc.property(json, json, layout, (servers, rest, { space, isJson, gap }) => {
      fc.pre(!Object.hasOwn(servers, "new one") && !Object.hasOwn(rest, "servers"));
      const value = { ...rest, servers };
      const plain = isJson ? JSON.stringify(value, undefined, space) : JSON5.stringify(value, { space });
      const text = plain.replace(/\}$/, `${gap}}`);
      const before = readJson5(text).value as { servers: object };
      const longer = appendJson5(text, ["servers"], { "new one": { a: [1, "x"] } });
      expect(readJson5(longer).value).toEqual({
        ...before,
        servers: { ...before.servers, "new one": { a: [1, "x"] } },
      });
      const [whole, part] = [longer, text].map((each) => each.replaceAll(/[\s,]/g, "")) as [string, string];
      const same = part.split("").findIndex((_, index) => whole[index] !== part[index]);
      expect(whole.endsWith(part.slice(same))).toBe(true);
    }),
  );
});

test("an existing key is never replaced, and only objects are extended", () => {
  expect(() => appendJson5("{servers:{b:1}}", ["servers"], added)).toThrow(/servers\.b already exists/);
  expect(() => appendJson5("{servers:[]}", ["servers"], added)).toThrow(/servers is not an object/);
  expect(() => appendJson5("[]", ["servers"], added)).toThrow(/not an object/);
});

const remove = (text: string, name: string) => removeJson5(text, ["servers", name]);

const whole = `// my servers
{
  servers: {
    // the first
    a: { command: "x" }, // a, b
    /* the second */
    b: {
      url: "https://b.example/", // inside
    },
    // the last
    c: { command: "z" }, // the end
  },
  debug: true, /* for now */
}
`;

test("an entry is removed with its lines and their comments, and everything else stays", () => {
  expect(remove(whole, "b")).toBe(`// my servers
{
  servers: {
    // the first
    a: { command: "x" }, // a, b
    /* the second */
    // the last
    c: { command: "z" }, // the end
  },
  debug: true, /* for now */
}
`);
  expect(remove(whole, "a")).toContain("    // the first\n    /* the second */\n    b: {");
  expect(remove(whole, "c")).toContain("    },\n    // the last\n  },\n  debug");
});

test("a file in the style of JSON stays JSON, whichever entry is removed", () => {
  const text = '{\n  "servers": {\n    "a": { "command": "x" },\n    "b": {}\n  }\n}';
  expect(remove(text, "b")).toBe('{\n  "servers": {\n    "a": { "command": "x" }\n  }\n}');
  expect(remove(text, "a")).toBe('{\n  "servers": {\n    "b": {}\n  }\n}');
  expect(JSON.parse(remove(remove(text, "a"), "b"))).toEqual({ servers: {} });
});

test("of entries that share a line only one is removed, and comments on the others stay", () => {
  const text = "{ servers: { a: 1, /* of b */ b: 2, c: 3 } }";
  expect(remove(text, "a")).toBe("{ servers: { /* of b */ b: 2, c: 3 } }");
  expect(remove(text, "b")).toBe("{ servers: { a: 1, /* of b */ c: 3 } }");
  expect(JSON5.parse(remove(text, "c"))).toEqual({ servers: { a: 1, b: 2 } });
});

test("a key that is missing or there twice is refused", () => {
  expect(() => remove(whole, "d")).toThrow(expect.objectContaining({ code: "not-found" }));
  expect(() => remove("{ servers: { a: 1, b: 2, a: 3 } }", "a")).toThrow(expect.objectContaining({ code: "config" }));
});

test("a value is set in its place, and everything around it stays", () => {
  const text = "{\n  // mine\n  a: { b: 1, /* of c */ c: [1, 2], }, // end\n}\n";
  expect(setJson5(text, ["a", "b"], { x: true })).toBe(
    "{\n  // mine\n  a: { b: {\n    x: true,\n  }, /* of c */ c: [1, 2], }, // end\n}\n",
  );
  expect(setJson5(text, ["a", "c", 1], "two")).toBe(text.replace("[1, 2]", '[1, "two"]'));
  expect(setJson5("", ["a", "b"], 1)).toBe("{\n  a: {\n    b: 1,\n  },\n}\n");
  expect(JSON.parse(setJson5('{ "a": 1 }', ["b"], { c: [1] }))).toEqual({ a: 1, b: { c: [1] } });
  expect(JSON.parse(setJson5('{ "a": 1 }', ["a"], { c: [{ d: 1 }] }))).toEqual({ a: { c: [{ d: 1 }] } });
  expect(() => setJson5("{ a: 1, a: 2 }", ["a"], 3)).not.toThrow();
  expect(() => setJson5("{ a: 1 }", ["a", "b"], 3)).toThrow(expect.objectContaining({ code: "config" }));
});

test("whatever is set is read back, and nothing else changes", () => {
  const names = fc.stringMatching(/^[a-z][a-z0-9_.-]{0,8}$/);
  // JSON has no negative zero.
  const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
  const values = fc.dictionary(names, json, { maxKeys: 5 });
  fc.assert(
    fc.property(values, names, json, fc.constantFrom(undefined, 2), (others, name, value, space) => {
      const text = JSON5.stringify({ debug: true, part: others }, undefined, space);
      expect(JSON5.parse(setJson5(text, ["part", name], value))).toEqual({
        debug: true,
        part: { ...others, [name]: value },
      });
    }),
  );
});

test("whatever was added can be removed again, and the rest is unchanged", () => {
  const names = fc.stringMatching(/^[a-z][a-z0-9_.-]{0,8}$/);
  const servers = fc.dictionary(names, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 });
  fc.assert(
    fc.property(servers, names, fc.constantFrom(undefined, 2, "\t"), fc.boolean(), (others, name, space, isJson) => {
      fc.pre(!Object.hasOwn(others, name));
      const text = (isJson ? JSON : JSON5).stringify({ debug: true, servers: others }, undefined, space);
      const longer = appendJson5(text, ["servers"], { [name]: { url: "https://x.example/" } });
      expect(JSON5.parse(remove(longer, name))).toEqual(JSON5.parse(text));
    }),
  );
});
