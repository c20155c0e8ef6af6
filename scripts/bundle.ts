import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type InputOptions, rolldown } from "rolldown";
import manifest from "../package.json" with { type: "json" };
import { leanBuiltins } from "./lean-builtins.ts";

/** Which modules are put into one file. */
interface Group {
  readonly name: string;
  readonly test: RegExp | ((id: string) => boolean);
  readonly priority: number;
}

// The keychain's library is native code in a package per system, and may be missing.
const external = [/^node:/, "@napi-rs/keyring"];
/** Syntax that the oldest supported Node does not know, such as `await using`, is compiled away: `>=22.19` is `node22.19`. */
const target = manifest.engines.node.replace(">=", "node");
const common: InputOptions = { platform: "node", external, logLevel: "silent", transform: { target } };

const minify = { compress: false, mangle: false, codegen: { removeWhitespace: true } };

export async function writeBundle(
  dir: string,
  input: Record<string, string>,
  groups: Group[] | "one file",
  laterExternal: readonly string[] = [],
): Promise<void> {
  const bundle = await rolldown({ ...common, external: [...external, ...laterExternal], input });
  await bundle.write({
    dir,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    plugins: [leanBuiltins()],
    minify,
    codeSplitting: groups === "one file" ? false : { groups },
  });
  await bundle.close();
}

/** The parts that `src/cli/compiled-parts.ts` loads: each file is one function of what it exports and may require. */
export async function writeParts(dir: string, input: Record<string, string>, groups: Group[]): Promise<void> {
  const bundle = await rolldown({ ...common, input });
  await bundle.write({
    dir,
    format: "cjs",
    // A script of `node:vm` that imports makes Node print a warning.
    dynamicImportInCjs: false,
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name]-[hash].cjs",
    minify,
    codeSplitting: { groups },
  });
  await bundle.close();
  for (const file of readdirSync(dir).filter((name) => name.endsWith(".cjs"))) {
    const path = join(dir, file);
    const code = readFileSync(path, "utf8");
    writeFileSync(path, `(function(exports,require,__filename,__dirname){"use strict";${inAscii(code)}\n})`);
  }
}

/** One character beyond Latin-1 makes V8 keep a whole file with two bytes a character, which it reads more slowly. */
function inAscii(code: string): string {
  return code.replaceAll(/[\x80-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Everything that is loaded with these modules, without what they load later. */
export async function modulesOf(input: string[]): Promise<ReadonlySet<string>> {
  const probe = await rolldown({ ...common, input });
  const { output } = await probe.generate({ format: "esm" });
  await probe.close();
  const files = output.filter((file) => file.type === "chunk");
  const byName = new Map(files.map((file) => [file.fileName, file]));
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const imported of byName.get(name)?.imports ?? []) visit(imported);
  };
  for (const file of files) if (file.isEntry) visit(file.fileName);
  return new Set([...seen].flatMap((name) => byName.get(name)?.moduleIds ?? []));
}
