import * as fc from "fast-check";
import JSON5 from "json5";
import { expect, test } from "vitest";
import { appendJson5 } from "./append-json5.ts";
import { removeJson5 } from "./remove-json5.ts";

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

test("an entry goes with its lines and the comment on them, and all else stays", () => {
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

test("a file in the style of JSON stays JSON, whichever entry goes", () => {
  const text = '{\n  "servers": {\n    "a": { "command": "x" },\n    "b": {}\n  }\n}';
  expect(remove(text, "b")).toBe('{\n  "servers": {\n    "a": { "command": "x" }\n  }\n}');
  expect(remove(text, "a")).toBe('{\n  "servers": {\n    "b": {}\n  }\n}');
  expect(JSON.parse(remove(remove(text, "a"), "b"))).toEqual({ servers: {} });
});

test("entries that share a line leave the others on it, and what is said of them", () => {
  const text = "{ servers: { a: 1, /* of b */ b: 2, c: 3 } }";
  expect(remove(text, "a")).toBe("{ servers: { /* of b */ b: 2, c: 3 } }");
  expect(remove(text, "b")).toBe("{ servers: { a: 1, /* of b */ c: 3 } }");
  expect(JSON5.parse(remove(text, "c"))).toEqual({ servers: { a: 1, b: 2 } });
});

test("what is not there, and what stands there twice, is refused", () => {
  expect(() => remove(whole, "d")).toThrow(expect.objectContaining({ code: "not-found" }));
  expect(() => remove("{ servers: { a: 1, b: 2, a: 3 } }", "a")).toThrow(expect.objectContaining({ code: "config" }));
});

test("whatever was added can be taken out again, and the rest is what it was", () => {
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
