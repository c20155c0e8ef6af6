import { once } from "node:events";
import { existsSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openBrowser } from "../../support/open-browser.ts";
import { startHub } from "../../support/cli/run-clawport.ts";
import { requireDebianPackage } from "../../setup/require-debian-package.ts";
import { areSkipsAllowed } from "../../setup/skips-allowed.ts";
import { until } from "../../support/until.ts";
import { sendSignIn } from "../server/console-hub.ts";
import { openConsolePlace, studioServer } from "./open-console.ts";
import { startSquatter, type StolenRequest } from "./squatter.ts";

const chromium = await requireDebianPackage("chromium");
const canBeOtherUser = process.platform === "linux" && process.getuid?.() === 0;
if (!canBeOtherUser && !areSkipsAllowed()) throw new Error("Tests with a second user need Linux and root.");
if (!canBeOtherUser) process.stderr.write("Tests with a second user need Linux and root.\n");
vi.setConfig({ testTimeout: 120_000 });

test.skipIf(chromium === undefined || !canBeOtherUser)(
  "another user's program that takes the port of a killed hub gets nothing from an open page that works anywhere",
  async () => {
    await using place = await openConsolePlace({ servers: { files: studioServer("files") } });
    const browser = await openBrowser(chromium ?? "");
    try {
      await using open = await place.open(browser);
      const { page } = open;
      const { port } = place.hub.ready;
      await page.getByRole("link", { name: "files", exact: true }).waitFor();
      // One that was not opened while its hub ran: the squatter's page would read all of it.
      const { url: link } = await place.link();
      await place.stop();
      const squatter = await startSquatter(port);
      await using _ = squatter;
      await until(() => squatter.stolen.length > 0);
      await page.getByText("does not prove that it is your hub").waitFor();
      // What was shown stays, and nothing of the false hub is added.
      await expect.poll(() => page.getByRole("link", { name: "files", exact: true }).count()).toBe(1);
      await expect.poll(() => page.locator("[data-connection=live]").count()).toBe(0);
      const sent = new Set(squatter.stolen.map(({ method, url, body }) => `${method} ${url} ${body}`));
      expect(sent).toEqual(new Set(["GET /console/api/events "]));
      const atFirst = squatter.stolen.length;
      // The page would have tried again by now.
      await page.waitForTimeout(3000);
      expect(squatter.stolen.length).toBe(atFirst);

      // A part of the page that was not loaded yet is the squatter's now, and does not run.
      await open.go("tools");
      await until(() => squatter.stolen.some(({ url }) => url.startsWith("/console/assets/")));
      await page.getByText("could not be loaded").waitFor();
      expect(await page.evaluate("globalThis.pwned")).toBeUndefined();

      const { stolen } = squatter;
      const marker = join(place.place.folder, "pwned");
      {
        await using next = await startHub(place.place, "--port", "0");
        expect(next.ready.port).not.toBe(port);
        expect(await replayAll(stolen, next.ready.port, marker)).toEqual([]);
        expect((await sendSignIn(link.replace(String(port), String(next.ready.port)))).status).toBe(403);
      }
      await squatter[Symbol.asyncDispose]();
      await using later = await startHub(place.place, "--port", String(port));
      expect(later.ready.port).toBe(port);
      expect(await replayAll(stolen, port, marker)).toEqual([]);
      expect((await sendSignIn(link)).status).toBe(403);
      expect(existsSync(marker)).toBe(false);
    } finally {
      await browser.close();
    }
  },
);

/** Sends what was stolen as it came, and in other requests. Returns what was answered otherwise than with 401. */
async function replayAll(stolen: readonly StolenRequest[], port: number, marker: string): Promise<readonly string[]> {
  const taken: string[] = [];
  const address = `http://127.0.0.1:${port}`;
  const server = { name: "evil", command: process.execPath, args: ["-e", `fs.writeFileSync("${marker}", "")`] };
  const tries = stolen.flatMap(({ method, url, headers, body }) => [
    { method, url, headers, body },
    { method: "POST", url: "/console/api/machine.revealToken", headers, body: "{}" },
    { method: "POST", url: "/console/api/servers.add", headers, body: JSON.stringify(server) },
  ]);
  for (const { method, url, headers, body } of tries) {
    if (!url.startsWith("/console/api/")) continue;
    const sent = request(`${address}${url}`, {
      agent: false,
      method,
      headers: {
        ...headers,
        // Browsers name their origin, and a cookie could be named for its port.
        ...(headers["cookie"] && { cookie: headers["cookie"].replaceAll(/console-\d+=/g, `console-${port}=`) }),
        host: `127.0.0.1:${port}`,
        origin: address,
        "sec-fetch-site": "same-origin",
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
      },
    });
    sent.end(body);
    const [{ statusCode }] = (await once(sent, "response")) as [IncomingMessage];
    sent.destroy();
    if (statusCode !== 401) taken.push(`${method} ${url}: ${String(statusCode)}`);
  }
  return taken;
}
