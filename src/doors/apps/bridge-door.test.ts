import type { Writable } from "node:stream";
import { expect, test } from "vitest";
import * as ws from "ws";
import { textFrame } from "./bridge-door.ts";

/** The library's own reader, which its types leave out. */
const { Receiver } = ws as unknown as { Receiver: new (options: { isServer: boolean }) => Writable };

test.each([0, 1, 125, 126, 65_535, 65_536, 200_000])("a text of %i bytes is read as it was written", async (length) => {
  const text = "é".repeat(Math.floor(length / 2)) + "x".repeat(length % 2);
  const receiver = new Receiver({ isServer: false });
  const read = new Promise((resolve) => receiver.once("message", (data: Buffer) => resolve(data.toString())));
  receiver.write(textFrame(text));
  expect((await read) === text).toBe(true);
});
