import { assert, property, string } from "fast-check";
import { expect, test } from "vitest";
import { parseQualifiedUri, qualifyUri } from "./qualified-uri.ts";

test.each([
  ["ui://app/main.html", "ui://two.clawport/app/main.html"],
  ["file:///a/b", "file://two.clawport//a/b"],
  ["urn:isbn:1", "urn:two.clawport/isbn:1"],
  ["note://{id}", "note://two.clawport/{id}"],
  ["{scheme}://x", "clawport:two.clawport/{scheme}://x"],
  ["plain", "clawport:two.clawport/plain"],
  ["clawport:x", "clawport:two.clawport/clawport:x"],
  ["ui://one.clawport/x", "ui://two.clawport/one.clawport/x"],
])("%s of a source is shown as %s, and back", (uri, shown) => {
  expect(qualifyUri("two", uri)).toBe(shown);
  expect(parseQualifiedUri(shown)).toEqual({ source: "two", uri });
});

test("a file named by a relative reference belongs to the same source", () => {
  const shown = new URL("references/more.md", qualifyUri("two", "skill://pdf/SKILL.md")).href;
  expect(parseQualifiedUri(shown)).toEqual({ source: "two", uri: "skill://pdf/references/more.md" });
});

test("every URI of every source comes back as it was", () => {
  assert(
    property(string({ unit: "grapheme", minLength: 1, maxLength: 60 }), string(), (source, uri) => {
      expect(parseQualifiedUri(qualifyUri(source, uri))).toEqual({ source, uri });
    }),
  );
});

test.each(["ui://app/main.html", "ui://.clawport/x", "ui://a/b.clawport/x", "", "https://clawport/x"])(
  "%s is not such a URI",
  (uri) => expect(parseQualifiedUri(uri)).toBeUndefined(),
);
