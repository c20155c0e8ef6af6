import { expect, test, vi } from "vitest";
import { placeWith, runHere, shelf } from "../support/cli/test-home.ts";
import { openTerminal } from "../support/cli/terminal.ts";

vi.setConfig({ testTimeout: 60_000 });

const call = async (tool: string, terminal: ReturnType<typeof openTerminal>, ...more: string[]) => {
  await using place = await placeWith({ shelf: shelf("one") });
  return await runHere(place, ["call", `shelf__${tool}`, ...more], terminal.world);
};

test.each([
  [["", "RED", "2"], { action: "accept", content: { colour: "red", many: 2 } }],
  [["n"], { action: "decline" }],
  [["y", "red"], { action: "cancel" }],
  [["y", "green", "red", "many", "1"], { action: "accept", content: { colour: "red", many: 1 } }],
])("typing %j answers %j", async (typed, answer) => {
  const { out } = await call("ask", openTerminal(...typed));
  expect(JSON.parse(out)).toEqual(answer);
});

test("an address to visit is shown, and the user confirms the visit", async () => {
  const terminal = openTerminal("yes");
  expect((await call("visit", terminal)).out).toBe('{"action":"accept"}\n');
  expect(terminal.shown()).toContain("Please pay.\nOpen this address in a browser:\n  https://example.com/pay\n");
  expect((await call("visit", openTerminal("no"))).out).toBe('{"action":"decline"}\n');
});

test("without a terminal a call that asks a question fails and says why", async () => {
  await using place = await placeWith({ shelf: shelf("one") });
  const { exit, err } = await runHere(place, ["call", "shelf__ask"]);
  expect(exit).not.toBe(0);
  expect(err).toContain("there is no terminal to answer it at");
});

test("progress is shown on the terminal and erased; the output contains none of it", async () => {
  const terminal = openTerminal();
  expect(await call("steps", terminal)).toMatchObject({ exit: 0, out: "done\n" });
  expect(terminal.shown()).toContain("\r\u001B[K 50 % ██████████░░░░░░░░░░ step 1");
  expect(terminal.shown().endsWith("\r\u001B[K")).toBe(true);
  const quiet = openTerminal();
  await call("steps", quiet, "-q");
  expect(quiet.shown()).toBe("");
});

test.each([
  [{ TERM: "xterm-kitty" }, "\u001B_Gf=100,a=T,m=0;iVBOR"],
  [{ TERM_PROGRAM: "iTerm.app" }, "\u001B]1337;File=inline=1;size="],
  [{ TERM: "xterm-256color" }, undefined],
  [{ TERM: "xterm-kitty", TMUX: "/tmp/tmux" }, undefined],
])("a picture is shown inline if %j supports it", async (terminal, begins) => {
  await using place = await placeWith({ shelf: shelf("one") });
  let out = "";
  const stdout = { isTTY: true, write: (text: string) => (out += text) };
  await runHere(place, ["call", "shelf__picture"], { stdout, env: { ...place.env, ...terminal } });
  expect(out).toMatch(/\/results\/shelf__picture-\S+\.png \(image\/png, 70 bytes\)\n$/);
  expect(out.startsWith(begins ?? place.home)).toBe(true);
});

test("a slow connection is shown on the terminal and erased", async () => {
  await using place = await placeWith({ shelf: shelf("slow") });
  const terminal = openTerminal();
  expect((await runHere(place, ["tools"], terminal.world)).out).toContain("shelf__put");
  expect(terminal.shown()).toBe("\r\u001B[KConnecting shelf …\r\u001B[K");
  const quiet = openTerminal();
  await runHere(place, ["tools", "-q"], quiet.world);
  expect(quiet.shown()).toBe("");
});
