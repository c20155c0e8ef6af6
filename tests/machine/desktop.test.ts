import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requireDebianPackage } from "../setup/require-debian-package.ts";
import { until } from "../support/until.ts";
import { type Desktop, startDesktop } from "./start-desktop.ts";
import { type StartedNode, startNode } from "./start-node.ts";

const programs =
  process.platform === "linux"
    ? [
        await requireDebianPackage("xvfb"),
        await requireDebianPackage("xclip"),
        await requireDebianPackage("dunst"),
        await requireDebianPackage("dbus-daemon"),
        await requireDebianPackage("dbus-bin"),
      ]
    : [undefined];

describe.skipIf(programs.includes(undefined))("on a desktop", () => {
  let desktop: Desktop;
  beforeAll(async () => {
    desktop = await startDesktop();
  });
  afterAll(() => desktop?.[Symbol.asyncDispose]());

  const asked = (): number => desktop.shown().split("summary: 'Allow clipboard.read?'").length - 1;

  test("the clipboard is read and written", async () => {
    await using node = await startNode({ env: desktop.env, machine: { consent: { clipboard: "always" } } });
    const text = "Grüße, 世界 🙂\nline two\n";
    await desktop.copy(text);
    expect((await node.call("clipboard.read")).structuredContent).toEqual({
      format: "text",
      text,
      truncated: false,
      empty: false,
    });
    expect(await node.text("clipboard.read", { maxBytes: 5 })).toBe("Grü");
    expect((await node.call("clipboard.write", { text: "written: ✓" })).structuredContent).toEqual({
      written: true,
      bytes: 12,
    });
    expect(await desktop.clipboard()).toBe("written: ✓");
    await node.call("clipboard.write", { text: "again" });
    expect(await desktop.clipboard()).toBe("again");
    expect((await node.call("clipboard.read", { format: "image" })).structuredContent).toEqual({
      format: "image",
      empty: true,
    });
  });

  test("the clipboard is not written without consent", async () => {
    await using node = await startNode({ env: desktop.env, attended: true });
    await desktop.copy("before");
    node.answer("no", "once");
    expect(await node.text("clipboard.write", { text: "rm -rf ~" })).toContain("the answer was no");
    expect(await desktop.clipboard()).toBe("before");
    await node.call("clipboard.write", { text: "after" });
    expect(await desktop.clipboard()).toBe("after");
  });

  test("what a password manager copied is not read", async () => {
    await using node = await startNode({ env: desktop.env, machine: { consent: { clipboard: "always" } } });
    await desktop.run(
      "sh",
      "-c",
      "printf secret | xclip -selection clipboard -t x-kde-passwordManagerHint -i >/dev/null 2>&1",
    );
    const text = await node.text("clipboard.read");
    expect(text).toMatch(/^CONSENT_DENIED: /);
    expect(text).not.toContain("secret");
  });

  test("a notification is shown, with its text as text", async () => {
    await using node = await startNode({ env: desktop.env });
    const { structuredContent } = await node.call("system.notify", { title: "Build", body: "green <b>& fast</b>" });
    expect(structuredContent).toMatchObject({ ok: true, sent: true });
    await until(() => desktop.shown().includes("Build"), "the notification");
    expect(desktop.shown()).toContain("green &lt;b&gt;&amp; fast&lt;/b&gt;");
    const { result } = await node.rpc("resources/read", { uri: "machine://notifications" });
    expect(JSON.stringify(result)).toContain("green");
    await desktop.run("dunstctl", "close-all");
  });

  test("a notification is shown, whatever the length of its text", async () => {
    await using node = await startNode({ env: desktop.env });
    for (const length of [1, 190, ...Array.from({ length: 10 }, (_, index) => 199 + index), 500, 1000, 2000]) {
      const title = `length ${length}`;
      const { structuredContent } = await node.call("system.notify", { title, body: "x".repeat(length) });
      expect(structuredContent).toMatchObject({ sent: true });
      await until(() => desktop.shown().includes(title), title);
      await desktop.run("dunstctl", "close-all");
    }
  });

  test("a pressed button is the answer", async () => {
    await using node = await startNode({ env: desktop.env });
    const asking = node.call("system.notify", { title: "Deploy now?", buttons: ["Yes", "Later"] });
    await until(() => desktop.shown().includes("Deploy now?"), "the question");
    await desktop.press("Later");
    expect((await asking).structuredContent).toMatchObject({ ok: true, button: "Later" });
    const ignored = node.call("system.notify", { title: "Still there?", buttons: ["Yes"], timeoutMs: 1000 });
    expect((await ignored).structuredContent).toMatchObject({ ok: true, button: null });
  });

  test("consent is asked for on the desktop, and lasts as the user says", async () => {
    await using node = await startNode({ env: desktop.env });
    await desktop.copy("private");
    const first = node.text("clipboard.read");
    await until(() => asked() === 1, "the question");
    await desktop.press("Deny");
    expect(await first).toContain("the answer was no");
    const second = node.text("clipboard.read");
    await until(() => asked() === 2, "the second question");
    await desktop.press("Always allow");
    expect(await second).toBe("private");
    expect(await node.text("clipboard.read")).toBe("private");
  });

  test("a command that is too long for a notification can't be allowed there", async () => {
    await using node = await startNode({ env: desktop.env });
    const run = node.text("system.run", { command: ["echo", "x".repeat(600), "hidden"] });
    await until(() => desktop.shown().includes("summary: 'Allow system.run?'"), "the question");
    const question = desktop.shown().slice(desktop.shown().indexOf("summary: 'Allow system.run?'"));
    expect(question).toContain("is too long to show here");
    expect(question).toContain("clawport approve 1");
    expect(question).not.toMatch(/Allow once|Always allow/);
    await desktop.press("Deny");
    expect(await run).toContain("the answer was no");
  });

  test("a desktop whose daemon starts after the node is asked with the first call", async () => {
    let node!: StartedNode;
    await desktop.withoutDaemon(async () => {
      node = await startNode({ env: desktop.env });
    });
    await using _node = node;
    const before = asked();
    const call = node.text("clipboard.read");
    await until(() => asked() > before, "the question");
    await desktop.press("Deny");
    expect(await call).toContain("the answer was no");
  });

  test("no other program on the bus can press a button", async () => {
    await using node = await startNode({ env: desktop.env });
    const before = asked();
    const call = node.text("clipboard.read");
    await until(() => asked() > before, "the question");
    for (let id = 1; id < 30; id++)
      await desktop.run(
        "dbus-send", "--session", "--type=signal", "/org/freedesktop/Notifications",
        "org.freedesktop.Notifications.ActionInvoked", `uint32:${id}`, "string:0",
      ); // prettier-ignore
    await desktop.press("Deny");
    expect(await call).toContain("the answer was no");
  });
});
