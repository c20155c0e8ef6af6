import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { preProcessFile } from "typescript";
import manifest from "../package.json" with { type: "json" };

/** Removes the declarations that no export of the package leads to: they would promise what can't be imported. */
export function keepExportedDeclarations(): void {
  const kept = new Set<string>();
  const visit = (path: string): void => {
    if (kept.has(path)) return;
    kept.add(path);
    for (const { fileName } of preProcessFile(readFileSync(path, "utf8")).importedFiles)
      if (fileName.startsWith(".")) visit(resolve(path, "..", fileName.replace(/\.[jt]s$/, ".d.ts")));
  };
  for (const entry of Object.values(manifest.exports)) if (typeof entry !== "string") visit(resolve(entry.types));
  for (const path of readdirSync("dist", { recursive: true, encoding: "utf8" }))
    if (path.endsWith(".d.ts") && !kept.has(resolve("dist", path))) rmSync(join("dist", path));
}
