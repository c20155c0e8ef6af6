/** Where a value is inside a configuration. */
export type ConfigPath = readonly (string | number)[];

/** As a person would write it: `servers.tavily.args[0]`, `servers["a b"].url`. */
export function formatPath(path: ConfigPath): string {
  return path
    .map((part, index) => {
      if (typeof part === "number") return `[${part}]`;
      if (!/^[A-Za-z_$][\w$-]*$/.test(part)) return `[${JSON.stringify(part)}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join("");
}

/** A path as a key for maps and sets. */
export function pathKey(path: ConfigPath): string {
  return JSON.stringify(path);
}
