import { readFileSync } from "node:fs";

/** A file of this package, which is two folders up from `src/core`, `dist/core`, `dist/cli` and the plugin's `dist/plugin` alike. */
export function packageFile(path: string): URL {
  return new URL(`../../${path}`, import.meta.url);
}

/** The version in package.json. */
export function readVersion(): string {
  const manifest: { readonly version: string } = JSON.parse(readFileSync(packageFile("package.json"), "utf8"));
  return manifest.version;
}
