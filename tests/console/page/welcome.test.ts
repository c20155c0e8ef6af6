import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openBrowser } from "../../support/open-browser.ts";
import { requireDebianPackage } from "../../setup/require-debian-package.ts";
import { openConsolePlace, studioServer } from "./open-console.ts";

const chromium = await requireDebianPackage("chromium");
vi.setConfig({ testTimeout: 60_000 });

test.skipIf(chromium === undefined)(
  "the wizard shows the endpoint, takes over servers, connects a client, offers this computer and to record arguments",
  async () => {
    const { command, args } = studioServer("notes") as { command: string; args: readonly string[] };
    await using place = await openConsolePlace(
      {},
      {
        prepare: ({ folder }) =>
          writeFile(join(folder, ".claude.json"), JSON.stringify({ mcpServers: { notes: { command, args } } })),
      },
    );
    const browser = await openBrowser(chromium ?? "");
    try {
      await using open = await place.open(browser);
      const { page } = open;
      await page.getByRole("link", { name: "Set up Clawport" }).click();
      const step = (name: string) => page.getByRole("region", { name, exact: true });
      // The hub serves clients, whatever it offers of this computer.
      await expect.poll(() => step("MCP endpoint").getAttribute("data-step")).toBe("done");
      await expect.poll(() => step("MCP endpoint").innerText()).toContain(`Listening`);
      await expect.poll(() => step("MCP endpoint").innerText()).toContain(place.origin);

      await step("Servers").getByRole("button", { name: "Import from other clients" }).click();
      await step("Servers")
        .getByLabel(/^notes/)
        .waitFor();
      await step("Servers").getByRole("button", { name: "Import 1 server" }).click();
      await expect.poll(() => step("Servers").getAttribute("data-step")).toBe("done");
      // The server is listed before the import has ended.
      await page.locator("[data-notice]", { hasText: "Imported 1 server." }).waitFor();

      const claude = page.locator("[data-client=claude-code]");
      await claude.getByRole("button", { name: "By hand" }).click();
      await claude.getByText("Paste this into").waitFor();
      await claude.getByRole("button", { name: "Connect" }).click();
      await claude.locator(".diff .add").first().waitFor();
      await claude.getByRole("button", { name: "Write it" }).click();
      await claude.getByText("connected to Clawport").waitFor();
      expect(await readFile(join(place.place.folder, ".claude.json"), "utf8")).toContain("clawport");
      await expect.poll(() => page.locator("[data-notice]").innerText()).toContain("The old file: ");

      // The last step is optional.
      const done = page.getByRole("button", { name: "Done", exact: true });
      await done.waitFor();
      await expect.poll(() => step("This computer").getAttribute("data-step")).toBe("open");
      await step("This computer").getByRole("button", { name: "Offer the tools of this computer" }).click();
      await step("This computer").getByText("On", { exact: true }).waitFor();
      await expect.poll(() => step("MCP endpoint").innerText()).toContain("Listening");

      await expect.poll(() => step("Records").getAttribute("data-step")).toBe("open");
      await step("Records").getByRole("button", { name: "Record the arguments, too" }).click();
      await expect.poll(() => step("Records").getAttribute("data-step")).toBe("done");
      await step("Records").getByText("After a restart of the hub.").waitFor();
      expect(await readFile(join(place.place.home, "clawport.json5"), "utf8")).toMatch(/audit: \{\s*arguments: true/);
      await done.click();
      await page.getByRole("heading", { name: "Needs you" }).waitFor();
      await page.getByRole("link", { name: "notes", exact: true }).waitFor();
      expect(open.errors).toEqual([]);
    } finally {
      await browser.close();
    }
  },
);
