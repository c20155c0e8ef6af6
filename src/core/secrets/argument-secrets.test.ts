import { expect, test } from "vitest";
import { parseConfig } from "../config/parse-config.ts";

const env = { NOTES_KEY: "abcdef", HOME: "/home/a" };

function warningsOf(args: readonly string[]): readonly string[] {
  const { warnings = [] } = parseConfig(JSON.stringify({ servers: { notes: { command: "notes", args } } }), env) as {
    warnings?: readonly { readonly path: string; readonly message: string }[];
  };
  return warnings.map(({ path, message }) => `${path} ${message}`);
}

test.each([
  [["serve", "-p", "$NOTES_KEY"], "servers.notes.args[2] has the value of $NOTES_KEY, which every user"],
  [["--url=https://x.example/?k=${NOTES_KEY}"], "servers.notes.args[0] has the value of $NOTES_KEY"],
  [["--token", "correct-horse"], "servers.notes.args[1] has what looks like a secret"],
  [["ghp_16C7e42F292c6912E7710c838347Ae178B4a"], "servers.notes.args[0] has what looks like a secret"],
])("%j is warned about, and env is offered", (args, text) => {
  const [warning, ...more] = warningsOf(args);
  expect(warning).toContain(text);
  expect(warning).toContain("put it into `env`");
  expect(more).toEqual([]);
});

test("ordinary arguments are not", () => {
  expect(warningsOf(["-y", "@mcp/server-filesystem", "$HOME/notes", "--port", "80", "--token-file", "./t"])).toEqual(
    [],
  );
});
