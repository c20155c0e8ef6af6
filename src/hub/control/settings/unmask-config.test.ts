import * as fc from "fast-check";
import JSON5 from "json5";
import { expect, test } from "vitest";
import { maskConfig } from "../config-text.ts";
import { unmaskConfig } from "./unmask-config.ts";

const config = `{
  // apiKey: "sk-live-abcdefghijklmnop1234567890"
  servers: {
    a: { url: "https://u.example/mcp?key=abc123&b=2", headers: { Authorization: "Bearer abcdef" } }, /* token: hunter2 */
    b: { command: "x", args: ["--token", "s3cret-value", "plain"], env: { N: 5, P: '$HOME' } },
  },
}
`;

test("what was masked and not touched comes back to the letter, comments included", () => {
  const masked = maskConfig(config)!;
  expect(masked).not.toMatch(/abcdef|hunter2|s3cret|abc123|sk-live/);
  expect(unmaskConfig(masked, config)).toBe(config);
  const edited = masked.replace('"plain"', '"plainer"').replace("{\n", "{\n  debug: true,\n");
  expect(unmaskConfig(edited, config)).toBe(
    config.replace('"plain"', '"plainer"').replace("{\n", "{\n  debug: true,\n"),
  );
});

test("a masked value that was moved, copied or changed in part is a fault that names it", () => {
  const masked = maskConfig(config)!;
  for (const [edited, path] of [
    [masked.replace("    b: {", "    c: {"), "servers.c."],
    [masked.replace('"--token", ', ""), "servers.b.args[0]"],
    [masked.replace("b=[redacted]", "b=[redacted]&c=3"), "servers.a.url"],
    [masked.replace('"plain"', '"[redacted]"'), "servers.b.args[2]"],
  ] as const)
    expect(() => unmaskConfig(edited, config)).toThrow(
      expect.objectContaining({ code: "bad-params", message: expect.stringContaining(path) as string }),
    );
});

test("a masked item of a list that was moved to the place of another does not get the other's value", () => {
  const text = '{ servers: { a: { args: ["pkg@1", "--token", "first-value", "--api-key", "second-value"] } } }';
  const masked = maskConfig(text)!;
  for (const edited of [
    masked.replace('"--token", "[redacted]", ', ""),
    masked.replace('"pkg@1", "--token", "[redacted]", ', '"pkg@1", '),
    masked.replace("--token", "-").replace("--api-key", "--token").replace('"-"', '"--api-key"'),
    masked.replace('"pkg@1", "--token"', '"--token"').replace('"--api-key"', '"--token", "--api-key"'),
  ])
    expect(() => unmaskConfig(edited, text)).toThrow("servers.a.args[");
  for (const edited of [masked.replace("pkg@1", "pkg@2"), masked.replace("] }", ', "more"] }')])
    expect(unmaskConfig(edited, text)).toContain('"--token", "first-value", "--api-key", "second-value"');
});

test("two comments that look the same once they are masked stay as they were", () => {
  const text = "{\n  // token: one-value\n  a: 1,\n  // token: two-value\n  b: 2,\n}";
  const masked = maskConfig(text)!;
  expect(masked).not.toMatch(/one-value|two-value/);
  expect(unmaskConfig(masked, text)).toBe(text);
});

test("a file that can't be read is replaced as a whole, but no mask is written into it", () => {
  expect(unmaskConfig("{ debug: true }", "{ servers: ")).toBe("{ debug: true }");
  expect(() => unmaskConfig('{ servers: { a: { apiKey: "[redacted]" } } }', "{ servers: ")).toThrow("servers.a.apiKey");
});

test("a new secret, a reference and a removed one are taken as they are written", () => {
  const masked = maskConfig(config)!;
  const edited = masked.replace('headers: { Authorization: "[redacted]" }', 'apiKey: "$NEW"');
  expect(unmaskConfig(edited, config)).toContain('apiKey: "$NEW"');
  expect(unmaskConfig("{}", config)).toBe("{}");
  expect(unmaskConfig("{ debug: true }", "")).toBe("{ debug: true }");
});

test("whatever the configuration, masking and putting back changes nothing", () => {
  const texts = fc.oneof(
    fc.string(),
    fc.constantFrom("$NAME", "Bearer abcdefghijkl", "sk-live-1234567890abcdefghij", "--token"),
  );
  const server = fc.record(
    { command: texts, args: fc.array(texts, { maxLength: 4 }), apiKey: texts, env: fc.dictionary(fc.string(), texts) },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), server), fc.constantFrom(0, 2), (servers, space) => {
      const text = JSON5.stringify({ servers }, undefined, space);
      const masked = maskConfig(text);
      fc.pre(masked !== undefined && !text.includes("[redacted"));
      expect(unmaskConfig(masked, text)).toBe(text);
    }),
  );
});
