import { expect, test } from "vitest";
import { parseConfig } from "../../core/config/parse-config.ts";
import { defineServers } from "./definition.ts";
import { serverAddress } from "./server-status.ts";

test("what came from the environment is masked in the command line, however short", () => {
  const servers = { notes: { command: "notes", args: ["-p", "$PIN", "--pin=$PIN", "$LONG/x", "12 apples"] } };
  const parsed = parseConfig(JSON.stringify({ servers }), { PIN: "12", LONG: "a-long-value" });
  if (parsed.problems !== undefined) throw new Error("the configuration is wrong");
  const { definitions } = defineServers(parsed.config);
  expect(serverAddress(definitions[0]!)).toBe("stdio://notes -p [redacted] --pin=[redacted] [redacted]/x 12 apples");
});
