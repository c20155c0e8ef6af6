import { expect, test } from "vitest";
import { carriedExtensions, mergeExtensions, skillsExtension, uiExtension } from "./extensions.ts";

test("extensions that a hub can carry are found, others are not", () => {
  const extensions = { [uiExtension]: { mimeTypes: ["a"] }, "io.modelcontextprotocol/tasks": {}, "x/y": {} };
  expect(carriedExtensions({ extensions })).toEqual({ [uiExtension]: { mimeTypes: ["a"] } });
});

test.each([{}, { extensions: 7 }, { extensions: null }, { extensions: { [uiExtension]: true } }])(
  "%j has none",
  (capabilities) => expect(carriedExtensions(capabilities)).toEqual({}),
);

test("settings that are too long count as none", () => {
  const extensions = { [uiExtension]: { mimeTypes: ["x".repeat(20_000)] } };
  expect(carriedExtensions({ extensions })).toEqual({ [uiExtension]: {} });
});

test("the extensions of several servers are joined", () => {
  expect(
    mergeExtensions([
      { [uiExtension]: { mimeTypes: ["a", "b"] }, [skillsExtension]: { directoryRead: false } },
      { [uiExtension]: { mimeTypes: ["b", "c"] }, [skillsExtension]: { directoryRead: true } },
      { [skillsExtension]: {} },
    ]),
  ).toEqual({ [uiExtension]: { mimeTypes: ["a", "b", "c"] }, [skillsExtension]: { directoryRead: true } });
});
