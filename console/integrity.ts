import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "vite";

/**
 * Writes the hash of every script and style into the page. A page that is open when another program takes the hub's port
 * then runs nothing that this program serves for a part that is loaded later, nor anything it left in the browser's cache.
 */
export function integrity(): Plugin {
  return {
    name: "integrity",
    apply: "build",
    async writeBundle({ dir = "" }) {
      const hashes: Record<string, string> = {};
      for (const name of await readdir(join(dir, "assets"))) {
        const hash = createHash("sha256").update(await readFile(join(dir, "assets", name)));
        hashes[`/console/assets/${name}`] = `sha256-${hash.digest("base64")}`;
      }
      const scripts = Object.entries(hashes).filter(([path]) => path.endsWith(".js"));
      const map = JSON.stringify({ integrity: Object.fromEntries(scripts) });
      const page = join(dir, "index.html");
      const html = (await readFile(page, "utf8"))
        .replaceAll(/ (?:src|href)="(\/console\/assets\/[^"]+\.(?:js|css))"/g, (attribute, path: string) =>
          hashes[path] === undefined ? attribute : `${attribute} integrity="${hashes[path]}"`,
        )
        .replace("<script", `<script type="importmap">${map}</script>\n    <script`);
      await writeFile(page, html);
    },
  };
}
