import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { Script } from "node:vm";

type Require = (name: string) => unknown;
type Part = (exports: object, require: Require, file: string, folder: string) => void;

/**
 * Loads the parts of the built command line, each a function in a file, with the compiled code that earlier processes left in
 * `cacheFolder`. Node's own cache (`module.enableCompileCache`) keeps a module as it was when it was loaded, so that each
 * process compiles the functions that it calls again; this one keeps those, too.
 */
export function openCompiledParts(folder: string, cacheFolder: string, requirePackage: Require): Require {
  const parts = new Map<string, { readonly exports: object; readonly script: Script; readonly storedBytes: number }>();
  process.on("exit", () => storeWhatGrew());

  return function load(name) {
    if (!name.startsWith("./")) return loadBuiltin(name) ?? requirePackage(name);
    const known = parts.get(name);
    if (known !== undefined) return known.exports;
    const filename = `${folder}/${name}`;
    const cachedData = readStored(name);
    const script = new Script(readFileSync(filename, "latin1"), { filename, cachedData });
    const storedBytes = script.cachedDataRejected === false ? cachedData!.length : 0;
    const exports = {};
    parts.set(name, { exports, script, storedBytes });
    (script.runInThisContext() as Part)(exports, load, filename, folder);
    return exports;
  };

  function readStored(name: string): Buffer | undefined {
    if (!hashedName.test(name)) return undefined;
    try {
      return readFileSync(`${cacheFolder}/${name}`);
    } catch {
      return undefined;
    }
  }

  /** Compiled code is replaced by what has more of it only: V8 drops functions that have not been called for a while. */
  function storeWhatGrew(): void {
    try {
      mkdirSync(cacheFolder, { recursive: true });
      for (const [name, { script, storedBytes }] of parts) {
        if (!hashedName.test(name)) continue;
        const code = script.createCachedData();
        if (code.length <= storedBytes) continue;
        const draft = `${cacheFolder}/${name}.${process.pid}`;
        writeFileSync(draft, code);
        renameSync(draft, `${cacheFolder}/${name}`);
      }
    } catch {
      // A package that this user may not write to, or a full disk: the next start compiles again.
    }
  }
}

/** Named by its content. V8 compares only the length of a source with the code that it is given. */
const hashedName = /-[\w-]{8}\.cjs$/;

/** Slow to load, and many a run calls none of their functions: they wait until one is called. */
export const lateModules: ReadonlySet<string> = new Set(["node:fs/promises", "node:crypto", "node:child_process"]);

/**
 * Node's own modules. `import` makes Node look at every export of a module, and for `node:fs` or `node:util` that loads
 * dozens of others (streams, promises, workers) that no one asked for: more than ten milliseconds at every start.
 */
function loadBuiltin(name: string): object | undefined {
  if (!lateModules.has(name)) return process.getBuiltinModule(name);
  const take = (late: object, key: string | symbol): unknown => {
    const value: unknown = Reflect.get(process.getBuiltinModule(name) as object, key);
    Object.defineProperty(late, key, { value });
    return value;
  };
  return Object.create(new Proxy({}, { get: (_, key, late: object) => take(late, key) })) as object;
}
