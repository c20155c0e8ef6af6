import { expect, test } from "vitest";
import { serverFileName } from "./server-file-name.ts";

test.each([
  ["git", /^git\.json$/],
  ["a.b-c_1", /^a\.b-c_1\.json$/],
  ["Git", /^git~[0-9a-f]{8}\.json$/],
  ["con", /^con~[0-9a-f]{8}\.json$/],
  ["../x", /^_x~[0-9a-f]{8}\.json$/],
])("the file of the server %j is %s", (server, expected) => {
  expect(serverFileName(server)).toMatch(expected);
});
