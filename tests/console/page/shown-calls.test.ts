import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { openBrowser } from "../../support/open-browser.ts";
import { requireDebianPackage } from "../../setup/require-debian-package.ts";
import { controlAt } from "../../support/hub-socket.ts";
import { expectWhole, largeCalls, randomCalls } from "../../support/shown-calls.ts";
import { until } from "../../support/until.ts";
import { callHub } from "./call-hub.ts";
import { openConsolePlace, studioServer } from "./open-console.ts";

const chromium = await requireDebianPackage("chromium");
vi.setConfig({ testTimeout: 180_000 });

test.skipIf(chromium === undefined)(
  "whatever a call is, the page has every character of it, and takes no yes before the end was in view",
  async () => {
    const policy = { rules: [{ tool: "files__write_file", verdict: "ask" }] };
    await using place = await openConsolePlace({ servers: { files: studioServer("files") }, policy });
    await using browser = await openBrowser(chromium ?? "");
    const token = await place.token();
    const control = await controlAt(place.place.home);
    await using open = await place.open(browser, { path: "approvals/rules" });
    for (const args of [...fc.sample(randomCalls, 10), ...largeCalls.map(([, each]) => each)]) {
      callHub(place.origin, token, "files__write_file", args).catch(() => {});
      const waiting = async () => (await control.approvals.list()).waiting.at(-1)?.id;
      await until(async () => (await waiting()) !== undefined, "the question");
      const id = (await waiting())!;
      await open.go(`approvals/${id}`);
      const call = open.page.locator(`[data-call="${id}"]`).getByRole("region", { name: "The call" });
      await call.waitFor();
      // Each coloured line is an element of its own.
      const { text, isLong } = await call.evaluate((element) => {
        const lines = [...element.querySelectorAll("span:not(.whole-end)")].map(({ textContent }) => textContent);
        const isScrolled = element.scrollHeight > element.clientHeight + 20;
        return { text: lines.length > 0 ? lines.join("\n") : (element.textContent ?? ""), isLong: isScrolled };
      });
      expectWhole(text, args);
      const allow = open.page.getByRole("button", { name: "Allow once" });
      expect(isLong && (await allow.isEnabled())).toBe(false);
      await control.approvals.approve({ id, answer: "no" });
      await until(async () => (await waiting()) === undefined, "the answer");
    }
    control.close();
    expect(open.errors).toEqual([]);
  },
);
