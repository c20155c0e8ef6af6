import { lstatSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

/**
 * npm runs this in a checkout after it has changed `node_modules`, and nowhere else: a `prepare` script would run again
 * with every first `npx clawport`, and npm warns about it when the package is installed.
 */
await import("./build.ts");

// npx finds the command here, and need not install the checkout into its cache first.
if (process.platform !== "win32") {
  const link = join("node_modules", ".bin", "clawport");
  mkdirSync(join("node_modules", ".bin"), { recursive: true });
  if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) rmSync(link);
  symlinkSync(join("..", "..", "dist", "cli", "main.js"), link);
}
