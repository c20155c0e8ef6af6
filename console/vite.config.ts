import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";
import type { VerbTable } from "../src/hub/control/verb.ts";
import { integrity } from "./integrity.ts";

const table = new URL("../src/hub/control/verbs.ts", import.meta.url);

/** Of the table of verbs the page has the names, and how long each may take. What they take and run stays in the hub. */
const namesOnly: Plugin = {
  name: "names-only",
  async load(id) {
    if (id !== fileURLToPath(table)) return null;
    const { verbs } = (await import(table.href)) as { readonly verbs: VerbTable };
    const areas = Object.entries(verbs).map(([area, rows]) => {
      const limits = Object.entries(rows).map(([name, { withinMs }]) => [name, { withinMs }]);
      return [area, Object.fromEntries(limits) as object];
    });
    return `export const verbs = ${JSON.stringify(Object.fromEntries(areas))};`;
  },
};

/** The page of the hub: everything is served by the hub itself, under `/console/`. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/console/",
  logLevel: "error",
  plugins: [namesOnly, integrity()],
  build: {
    outDir: fileURLToPath(new URL("../dist/console", import.meta.url)),
    emptyOutDir: true,
    target: "es2023",
    // The content security policy allows no data: scripts, styles or fonts, and small files cost nothing on loopback.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // What every page needs is one file; each page is another.
          groups: [{ name: "frame", test: /\/console\/src\/(hub|parts|router)\/|\/node_modules\// }],
        },
      },
      // What the page shares with the hub is its types and the table of verbs: nothing there acts when it is loaded.
      treeshake: { moduleSideEffects: (id) => !id.includes("/src/core/") },
    },
  },
});
