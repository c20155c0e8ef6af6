/**
 * What a script finds in its machine, as source that runs there before it does. Between machine and host there are two
 * functions that carry text, and nothing else: `send` takes JSON out, and what this returns takes JSON in. Whatever a
 * script does to these objects, it does to itself: the host judges each message as if a stranger had written it.
 */
export const guestSource = `(() => {
  "use strict";
  const send = globalThis.send;
  delete globalThis.send;
  delete globalThis.performance;
  const { parse, stringify, rawJSON } = JSON;
  const { apply } = Reflect;
  const [test, match] = [RegExp.prototype.test, String.prototype.match];
  const waiting = new Map();
  const [keep, take, drop] = [Map.prototype.set, Map.prototype.get, Map.prototype.delete];
  let last = 0;

  const big = (key, value, { source } = {}) =>
    typeof value === "number" && !Number.isSafeInteger(value) && source !== undefined && /^-?[0-9]+$/.test(source)
      ? BigInt(source)
      : value;
  const read = (text) => (apply(test, /[0-9]{16}/, [text]) ? parse(text, big) : parse(text));
  const write = (value) =>
    stringify(value, (key, each) => (typeof each === "bigint" ? rawJSON(String(each)) : each)) ?? "null";
  const tell = (message) => send(write(message));
  const ask = (kind, fields) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      tell({ kind, id, ...fields });
      apply(keep, waiting, [id, { resolve, reject, tool: fields.tool, line: fields.line }]);
    });

  class ToolError extends Error {
    constructor(message, code, tool, line) {
      super(message);
      Object.defineProperty(this, "line", { value: line });
      this.name = "ToolError";
      this.code = code;
      if (tool !== undefined) this.tool = tool;
    }
  }

  const lineOf = (stack) => Number(apply(match, stack, [/script:([0-9]+)/])?.[1]) || undefined;
  const own = { search: (query, limit) => ask("search", { query, limit }), describe: (tool) => ask("describe", { tool }) };
  /** A path of names that can be called: \`tools.files.read\` and \`tools.files__read\` alike. */
  const path = (names, call) =>
    new Proxy(call, {
      get: (_, name) =>
        typeof name !== "string" || name === "then" || names.length === 2
          ? undefined
          : path([...names, name], (args) =>
              names.length === 0 && Object.hasOwn(own, name)
                ? own[name](args)
                : ask("call", { tool: [...names, name].join("."), args: args ?? {}, line: lineOf(new Error().stack) }),
            ),
      set: () => false,
      deleteProperty: () => false,
      defineProperty: () => false,
      setPrototypeOf: () => false,
    });
  const say = (level) => (...values) =>
    tell({ kind: "log", level, text: values.map((each) => (typeof each === "string" ? each : shown(each))).join(" ") });
  const shown = (value) => {
    if (value instanceof Error) return String(value);
    try {
      return write(value);
    } catch {
      return String(value);
    }
  };
  const globals = {
    tools: path([], () => undefined),
    results: Object.freeze({ read: (id, options) => ask("read", { result: String(id), ...options }) }),
    progress: (text, part) => tell({ kind: "progress", text: text === undefined ? undefined : String(text), part }),
    sleep: (ms) => ask("sleep", { ms: Number(ms) }),
    console: Object.freeze({ log: say("log"), info: say("log"), debug: say("log"), warn: say("log"), error: say("log") }),
  };
  for (const [name, value] of Object.entries(globals)) Object.defineProperty(globalThis, name, { value });

  const failed = (error) => ({
    kind: "failed",
    message: error instanceof Error ? String(error.message) : shown(error),
    name: error instanceof Error ? String(error.name) : "Error",
    code: typeof error?.code === "string" ? error.code : undefined,
    tool: typeof error?.tool === "string" ? error.tool : undefined,
    line: typeof error?.line === "number" ? error.line : typeof error?.stack === "string" ? lineOf(error.stack) : undefined,
  });
  const run = async (main) => {
    const value = await main();
    return typeof value === "function" ? value() : value;
  };
  return {
    start(main, input) {
      Object.defineProperty(globalThis, "input", { value: read(input) });
      run(main).then(
        (value) => tell({ kind: "returned", isUndefined: value === undefined, value }),
        (error) => tell(failed(error)),
      ).catch((error) => tell(failed(error)));
    },
    settle(id, isOk, text) {
      const { resolve, reject, tool, line } = apply(take, waiting, [id]) ?? {};
      if (resolve === undefined) return;
      apply(drop, waiting, [id]);
      if (isOk) return resolve(read(text));
      const { message, code } = parse(text);
      reject(new ToolError(message, code, tool, line));
    },
  };
})()`;
