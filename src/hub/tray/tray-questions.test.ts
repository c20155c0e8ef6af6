import { expect, test } from "vitest";
import { execOf } from "./autostart.ts";
import { judgeNotice } from "./tray-questions.ts";

test("a caller gets few notifications a minute, whatever it asks", () => {
  const now = 1_000_000;
  expect(judgeNotice([], now)).toBe(true);
  expect(judgeNotice([now - 1, now - 2, now - 3], now)).toBe(true);
  expect(judgeNotice([now - 1, now - 2, now - 3, now - 4], now)).toBe(false);
  expect(judgeNotice([now - 60_000, now - 2, now - 3, now - 4], now)).toBe(true);
});

test("a path with any character is one word of a desktop file, and a line break is refused", () => {
  expect(execOf(["/opt/my node", 'a"b$c%d\\e'])).toBe(String.raw`"/opt/my node" "a\\"b\\$c%%d\\\\e"`);
  expect(() => execOf(["a\nExec=evil"])).toThrow("desktop file");
});
