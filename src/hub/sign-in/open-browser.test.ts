import { existsSync } from "node:fs";
import { chmod, mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../../../tests/support/until.ts";
import { browserCommands, openBrowser } from "./open-browser.ts";

const address = "https://as.example.com/authorize?a=1&b=$(touch%20x)";

test.each([
  ["linux", { DISPLAY: ":0" }, [["xdg-open", address]]],
  ["linux", { WAYLAND_DISPLAY: "wayland-0" }, [["xdg-open", address]]],
  ["linux", {}, []],
  ["linux", { WSL_DISTRO_NAME: "Debian" }, [["wslview", address]]],
  ["darwin", {}, [["open", address]]],
  ["win32", {}, [["rundll32.exe", "url.dll,FileProtocolHandler", address]]],
  [
    "linux",
    { BROWSER: "firefox --new-window %s:w3m" },
    [
      ["firefox", "--new-window", address],
      ["w3m", address],
    ],
  ],
  ["linux", { BROWSER: "none", DISPLAY: ":0" }, []],
])("on %s with %j the address is opened with %j", (platform, env: Record<string, string>, commands) => {
  expect(browserCommands(address, { platform, env })).toEqual(commands);
});

test("the first browser that starts gets the address whole, and no shell reads it", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "clawport-"));
  const browser = join(folder.path, "browser");
  await writeFile(
    browser,
    `#!/bin/sh\nprintf '%s' "$1" > ${folder.path}/draft\nmv ${folder.path}/draft ${folder.path}/seen\n`,
  );
  await chmod(browser, 0o755);
  const env = { PATH: process.env["PATH"], BROWSER: `/no/such/program:${browser}` };
  expect(await openBrowser(new URL(address), { env, platform: "linux" })).toBe(true);
  await until(() => existsSync(join(folder.path, "seen")));
  expect(await readFile(join(folder.path, "seen"), "utf8")).toBe(address);
});

test("where none starts, or the address is none for a browser, that is said", async () => {
  const env = { BROWSER: "/no/such/program" };
  expect(await openBrowser(new URL(address), { env, platform: "linux" })).toBe(false);
  expect(await openBrowser(new URL("file:///etc/passwd"), { env: { BROWSER: "/bin/true" }, platform: "linux" })).toBe(
    false,
  );
});
