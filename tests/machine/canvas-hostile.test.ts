import { readdir, writeFile } from "node:fs/promises";
import { hostname, networkInterfaces } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openBrowser } from "../support/open-browser.ts";
import { makePlace } from "../support/cli/run-clawport.ts";
import { requireDebianPackage } from "../setup/require-debian-package.ts";
import { until } from "../support/until.ts";
import { startCommand } from "./canvas/start-command.ts";
import { startHostileSite, startNameServer, startVictim } from "./canvas/start-listeners.ts";
import { canvasPrograms, startScreen } from "./canvas/start-screen.ts";
import { openClient } from "./desktop/open-client.ts";

const mouse = await requireDebianPackage("xdotool");
const isPossible = !canvasPrograms.includes(undefined) && mouse !== undefined && process.getuid?.() === 0;

/** What is left of the page's requests: those to its own origin. */
const ownOnly = { "own-fetch": "hello", "own-websocket": "hello", "websocket-0": "error" };

/** This machine, by all the names and addresses that it has. */
function hostsAt(port: number): readonly string[] {
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === "IPv4" && !internal)
    .map(({ address }) => address);
  const names = [
    "evil.test", "rebind.test", "127.0.0.1", "localhost", "sub.localhost", "127.0.0.2", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0",
    "2130706433", "0x7f.1", "017700000001", "canvas.localhost", hostname(), ...outside,
  ]; // prettier-ignore
  return names.map((name) => `${name}:${port}`);
}

/** Runs as its own process, in which names are asked of our own name server. */
const withNames = (file: string): readonly string[] => [
  "unshare", "--mount", "--propagation", "private", "sh", "-c",
  'mount --bind "$0" /etc/resolv.conf && exec "$@"', file,
]; // prettier-ignore

describe.skipIf(!isPossible)("a hostile page in the canvas", { timeout: 60_000 }, () => {
  test("reaches nothing but its own origin, in any way", async () => {
    await using place = await makePlace();
    await using screen = await startScreen();
    await using site = await startHostileSite();
    await using victim = await startVictim();
    await using names = await startNameServer("127.77.18.53");
    const [nameFile, secretFile] = [join(place.folder, "resolv.conf"), join(place.folder, "secret.js")];
    await writeFile(nameFile, `nameserver ${names.address}\n`);
    await writeFile(secretFile, "window.stolen = 'the secret'");
    await using node = await startCommand({
      place,
      wrapper: withNames(nameFile),
      env: screen.env,
      machine: {
        consent: { canvas: "always" },
        canvas: { sandbox: false, trustedOrigins: [site.origin, `http://rebind.test:${victim.port}`] },
      },
    });
    await using client = await openClient(node);
    const hosts = hostsAt(victim.port);

    await client.call("canvas.navigate", { url: site.origin });
    const attack = async (targets: readonly string[], isThorough: boolean): Promise<Record<string, string>> => {
      const script = `attack(${JSON.stringify(targets)}, ${JSON.stringify(secretFile)}, ${isThorough})`;
      const { structured, text } = await client.call("canvas.eval", { script, timeoutMs: 30_000 });
      expect(text).not.toContain("the secret");
      return structured["result"] as Record<string, string>;
    };
    const rounds = [...hosts.slice(0, 3), ...hosts.slice(-1)].map((host) => [host]);
    for (const round of rounds) expect(await attack(round, true)).toMatchObject(ownOnly);
    expect(await attack(hosts, false)).toMatchObject(ownOnly);

    const permissions =
      "Promise.all([Notification.requestPermission(), navigator.clipboard.readText().catch((error) => error.name)])";
    expect((await client.call("canvas.eval", { script: permissions })).structured).toEqual({
      result: ["denied", "NotAllowedError"],
    });
    await client.call("canvas.navigate", { url: site.origin });
    // A click of the user lets a page open windows.
    const clicked = `addEventListener("click", () => { window.clicked = window.open(${JSON.stringify(`http://${hosts[2]}/clicked`)}) !== undefined; })`;
    await client.call("canvas.eval", { script: clicked });
    await screen.click(300, 300);
    await until(
      async () => (await client.call("canvas.eval", { script: "window.clicked === true" })).text.includes("true"),
      "the click",
    );
    await until(async () => (await screen.windows()).length === 1, "one window");

    const leaving = ["redirect", "refresh", "leave"].flatMap((way) =>
      [hosts[0], hosts[2]].map((host) => `${site.origin}/${way}?to=http://${host}/${way}`),
    );
    for (const url of leaving) {
      await client.call("canvas.navigate", { url });
      await until(
        async () => (await client.call("canvas.eval", { script: "1" })).text.startsWith("CANVAS_NAV_BLOCKED"),
        url,
      );
    }
    for (const target of [
      `file://${secretFile}`,
      "data:text/html,<script>document.title='data'</script>",
      "chrome://settings",
    ]) {
      await client.call("canvas.navigate", { url: `${site.origin}/leave?to=${encodeURIComponent(target)}` });
      expect((await client.call("canvas.eval", { script: "location.origin" })).structured).toEqual({
        result: site.origin,
      });
    }

    const files = await readdir(place.folder, { recursive: true });
    expect(files.filter((file) => /payload|stolen/.test(file))).toEqual([]);
    await client.call("canvas.hide");
    expect(victim.arrived).toEqual([]);
    expect([...names.asked]).toEqual(["rebind.test"]);
  });

  test("and would reach it in any other browser", async () => {
    await using site = await startHostileSite();
    await using victim = await startVictim();
    const browser = await openBrowser("/usr/bin/chromium");
    try {
      const page = await browser.newPage();
      await page.goto(site.origin);
      await page.evaluate(`attack(${JSON.stringify([`127.0.0.1:${victim.port}`])}, "/no/such/file")`);
      const ways = [
        "fetch", "post", "keepalive", "redirect", "beacon", "websocket", "events", "image", "script", "style", "frame",
        "frame-redirect", "frame-refresh", "frame-data", "frame-srcdoc", "object", "embed", "video", "track", "policy",
        "prefetch", "preload", "modulepreload", "worker", "import", "font", "service-worker", "form", "ping", "popup",
      ]; // prettier-ignore
      const missing = (): readonly string[] => ways.filter((way) => !victim.arrived.includes(`/${way}-0`));
      await expect.poll(missing).toEqual([]);
      expect(victim.arrived).toContain("udp");
    } finally {
      await browser.close();
    }
  });
});
