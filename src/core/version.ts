import { readFileSync } from "node:fs";

/** The version in package.json, two folders up from `src/core`, `dist/core` and `dist/cli` alike. */
export function readVersion(): string {
  const path = new URL("../../package.json", import.meta.url);
  const manifest: { readonly version: string } = JSON.parse(readFileSync(path, "utf8"));
  return manifest.version;
}
