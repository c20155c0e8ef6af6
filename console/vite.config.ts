import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { integrity } from "./integrity.ts";

/** The page of the hub: everything is served by the hub itself, under `/console/`. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/console/",
  logLevel: "error",
  plugins: [integrity()],
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
