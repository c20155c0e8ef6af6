import { expect, test } from "vitest";
import type { HubControl } from "../control/hub-control.ts";
import { createMcpCommand } from "./mcp-command.ts";

/** A control that only lists sign-ins. */
const control = { signIns: { list: () => Promise.resolve([]) } } as unknown as HubControl;
const command = createMcpCommand(() => Promise.resolve(control));
const mcp = (words: string) => command(words, {} as Parameters<typeof command>[1]);

test.each(["auth one --lgout", "auth one --code", "auth one --device=yes", "auth one two", "auth one -x"])(
  '"/mcp %s" gets the usage, and begins no sign-in',
  async (words) => {
    await expect(mcp(words)).rejects.toMatchObject({
      code: "usage",
      message: expect.stringContaining("/mcp auth <server> [--code <code or address>]"),
    });
  },
);

test('"/mcp auth" without a server says how to name one, and "--list" needs none', async () => {
  await expect(mcp("auth")).rejects.toMatchObject({ code: "usage", message: expect.stringContaining("/mcp servers") });
  expect((await mcp("auth --list")).text).toContain("No sign-ins.");
});
