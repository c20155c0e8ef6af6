import { join } from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { installPackage } from "../../conformance/install-package.ts";
import { placeWith, runHere } from "../support/cli/test-home.ts";
import { openTerminal } from "../support/cli/terminal.ts";

vi.setConfig({ testTimeout: 60_000 });

let program: string;
beforeAll(async () => {
  const name = "@modelcontextprotocol/server-everything";
  program = join(await installPackage(name, "2026.8.31", "server-everything"), "dist", "index.js");
}, 300_000);

test("a third-party server: its tools, media, structured answers and questions on the command line", async () => {
  await using place = await placeWith({});
  await place.configure({ ev: { command: process.execPath, args: [program, "stdio"] } });
  const call = (tool: string, ...words: string[]) => runHere(place, ["call", `ev__${tool}`, ...words]);
  expect((await runHere(place, ["tools", "ev"])).out).toContain("ev__get-sum ");
  expect((await call("get-sum", "a=1", "b=2.5")).out).toBe("The sum of 1 and 2.5 is 3.5.\n");
  expect((await call("get-tiny-image")).out).toMatch(
    /\n\S+\/results\/ev__get-tiny-image-\S+\.png \(image\/png, \d+ bytes\)\n/,
  );
  const { structuredContent } = JSON.parse((await call("get-structured-content", "location=Chicago", "--json")).out);
  expect(structuredContent).toMatchObject({ temperature: expect.any(Number) });

  const terminal = openTerminal("y", "Ann", "yes", "", "", "", "", "7", "", "2", "1, 3", "", "", "");
  const { out } = await runHere(place, ["call", "ev__trigger-elicitation-request"], terminal.world);
  const answer = JSON.parse(out.slice(out.indexOf("{")));
  expect(answer).toMatchObject({
    action: "accept",
    content: { name: "Ann", check: true, integer: 7, untitledSingleSelectEnum: "Rachel" },
  });
});
