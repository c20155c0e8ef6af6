import type { Plugin } from "rolldown";
import { lateModules } from "../src/cli/compiled-parts.ts";

/**
 * Takes Node's own modules by `process.getBuiltinModule` instead of `import`. An import makes Node look at every export
 * of the module, and for `node:fs` or `node:util` that loads dozens of others (streams, promises, workers) nobody asked for:
 * more than ten milliseconds at every start.
 */
export function leanBuiltins(): Plugin {
  return { name: "lean-builtins", renderChunk: (code) => code.replaceAll(builtinImport, rewrite) };
}

/** An import statement as the bundler writes it, at the top of a chunk: default, namespace and named parts. */
const builtinImport =
  /^import\s*([\w$]+)?\s*,?\s*(?:\*\s*as\s+([\w$]+)|\{([^}]*)\})?\s*from\s*["'](node:[\w/]+)["'];?/gm;

function rewrite(
  _: string,
  whole: string | undefined,
  namespace: string | undefined,
  named: string | undefined,
  id: string,
): string {
  const builtin = `process.getBuiltinModule("${id}")`;
  if (lateModules.has(id) && whole === undefined && named !== undefined)
    return named
      .split(",")
      .map((part) => lazily(part, builtin))
      .join("\n");
  const names = named?.replaceAll(/\s+as\s+/g, ": ");
  return [whole, namespace, names === undefined ? undefined : `{${names}}`]
    .filter((target) => target !== undefined)
    .map((target) => `const ${target} = ${builtin};`)
    .join("\n");
}

function lazily(part: string, builtin: string): string {
  const [name = "", local = name] = part.trim().split(/\s+as\s+/);
  const isFunction = /^[a-z]/.test(name) && name !== "webcrypto" && name !== "constants";
  return isFunction
    ? `const ${local} = (...args) => ${builtin}.${name}(...args);`
    : `const { ${name}: ${local} } = ${builtin};`;
}
