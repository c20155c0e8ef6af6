import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ModuleKind, ScriptTarget, transpile } from "typescript";

const from = path.join(import.meta.dirname, "targets");
const to = path.join(import.meta.dirname, "..", ".cache", "bench");

/**
 * Targets run as plain JavaScript against the built product: stripping types at the start would be measured as part of
 * the start. `.cache/bench` is as deep as `bench/targets`, so the way to `dist` is the way to `src` with another name.
 */
export function prepareTargets(): void {
  mkdirSync(to, { recursive: true });
  for (const file of readdirSync(from)) {
    const source = readFileSync(path.join(from, file), "utf8")
      .replaceAll('"../../src/', '"../../dist/')
      .replaceAll(/(from "\.[^"]*)\.ts"/g, '$1.js"');
    const code = transpile(source, { module: ModuleKind.ESNext, target: ScriptTarget.ES2024 });
    writeFileSync(path.join(to, file.replace(/\.ts$/, ".js")), code);
  }
}

export function targetFile(name: string): string {
  return path.join(to, `${name}.js`);
}
