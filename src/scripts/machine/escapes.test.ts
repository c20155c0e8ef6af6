import { afterAll, beforeAll, expect, test } from "vitest";
import { runScript, type ScriptEnd } from "../run-script.ts";
import { createMachines, type Machines } from "./machines.ts";

/** Attempts to get out of a script's machine, or to keep its host busy. The host sees text, and nothing of it gets out. */

let machines: Machines;
beforeAll(() => {
  machines = createMachines({ threads: 2, maxStepMs: 800 });
});
afterAll(() => machines.close());

async function run(code: string): Promise<ScriptEnd> {
  return runScript({
    machines,
    start: {
      code,
      input: `{"__proto__":{"polluted":true},"text":"hello"}`,
      time: 1_700_000_000_000,
      seed: 1,
      limits: { memoryBytes: 16 * 1024 * 1024, steps: 40, outputLength: 200_000 },
    },
    host: {
      progress: () => {},
      answer: (question) =>
        question.kind === "call" && question.tool === "files.failing"
          ? Promise.reject(new Error("no"))
          : question.kind === "call" && question.tool === "files.forged"
            ? Promise.resolve(JSON.parse(`{"__proto__":{"polluted":true},"then":"x","constructor":1}`))
            : Promise.resolve({ ...question }),
    },
    limits: { calls: 20, parallel: 4, answerLength: 1_000_000, timeoutMs: 60_000 },
    signal: new AbortController().signal,
    clock: () => 1_700_000_000_500,
  });
}

/** What the script returns, or what its failure says. */
const attempts: readonly (readonly [name: string, code: string, expected: unknown])[] = [
  // Names of a host that a machine does not have.
  ["process", "return typeof process", "undefined"],
  ["require", "return typeof require", "undefined"],
  ["module", "return typeof module + typeof exports + typeof __dirname", "undefinedundefinedundefined"],
  ["fetch", "return typeof fetch + typeof XMLHttpRequest + typeof WebSocket", "undefinedundefinedundefined"],
  ["timers", "return typeof setTimeout + typeof setInterval + typeof setImmediate", "undefinedundefinedundefined"],
  ["WebAssembly", "return typeof WebAssembly", "undefined"],
  ["Buffer", "return typeof Buffer + typeof TextDecoder", "undefinedundefined"],
  ["workers", "return typeof Worker + typeof postMessage + typeof parentPort", "undefinedundefinedundefined"],
  ["performance", "return typeof performance", "undefined"],
  ["Atomics", "return typeof Atomics", "undefined"],
  ["std and os of the engine", "return typeof std + typeof os + typeof bjson", "undefinedundefinedundefined"],
  ["the raw way out", "return typeof send + typeof globalThis.send", "undefinedundefined"],
  ["a dynamic import", 'return import("node:fs").then(() => "in", () => "refused")', "refused"],
  ["a static import", 'import fs from "node:fs"; return fs', /Unexpected identifier/],
  ["import.meta", "return import.meta", /import\.meta/],
  // Chains of constructors and prototypes through what the host gave.
  ["constructor of a tool", 'return tools.files.read.constructor?.("return typeof process")()', /.*/],
  ["Function", 'return Function("return typeof process")()', "undefined"],
  ["Function of an async function", 'return (async () => {}).constructor("return typeof process")()', "undefined"],
  ["Function of a generator", 'return [...(function* () {}).constructor("yield typeof process")()][0]', "undefined"],
  ["constructor of progress", 'return progress.constructor.constructor("return typeof process")()', "undefined"],
  ["constructor of a promise", 'return sleep(0).constructor.constructor("return typeof process")()', "undefined"],
  [
    "constructor of a result",
    'return (await tools.a.b({})).constructor.constructor("return typeof process")()',
    "undefined",
  ],
  ["constructor of the input", 'return input.constructor.constructor("return typeof process")()', "undefined"],
  [
    "constructor of an error",
    'try { await tools.files.failing() } catch (error) { return error.constructor.constructor("return typeof process")() }',
    "undefined",
  ],
  ["the caller of a function", "function f() { return f.caller } return String(f())", /.*/],
  ["arguments.callee", "return (function () { return typeof arguments.callee })()", /.*/],
  ["a stack with host frames", "return new Error().stack.includes('node:')", false],
  ["prepareStackTrace", "Error.prepareStackTrace = (_, s) => s; return typeof new Error().stack", /.*/],
  ["globalThis through this", "return (function () { return typeof this.process })()", "undefined"],
  ["eval", 'return (0, eval)("typeof process")', "undefined"],
  ["breaking out of the wrapper", "return 1 }); globalThis.out = 1; (async () => { return 2", /.*/],
  // Prototypes, proxies, getters.
  ["__proto__ in the input", "return [({}).polluted, Object.keys(input)]", [null, ["__proto__", "text"]]],
  [
    "__proto__ in a result",
    "const r = await tools.files.forged(); return [({}).polluted, typeof r.then]",
    [null, "string"],
  ],
  ["__proto__ in arguments", 'return (await tools.a.b(JSON.parse(\'{"__proto__":{"polluted":1}}\'))).args', /.*/],
  [
    "constructor in arguments",
    "return (await tools.a.b({ constructor: { prototype: 1 } })).args",
    { constructor: { prototype: 1 } },
  ],
  ["Object.prototype", "Object.prototype.polluted = 1; return (await tools.a.b({ x: 1 })).args", { x: 1 }],
  ["Array.prototype", 'Array.prototype.map = () => ["forged"]; return (await tools.a.b({ x: [1] })).args', { x: [1] }],
  ["toJSON", 'Object.prototype.toJSON = () => "forged"; return 1', /.*/],
  ["JSON.parse", 'JSON.parse = () => "forged"; return (await tools.a.b({ x: 1 })).args', { x: 1 }],
  ["JSON.stringify", 'JSON.stringify = () => "forged"; return (await tools.a.b({ x: 1 })).args', { x: 1 }],
  ["Promise.prototype.then", "Promise.prototype.then = () => {}; return 1", /.*/],
  [
    "Map.prototype",
    "Map.prototype.get = () => ({ resolve: () => {} }); return (await tools.a.b({ x: 1 })).args",
    { x: 1 },
  ],
  ["a getter as an argument", "let n = 0; return (await tools.a.b({ get x() { return ++n } })).args", { x: 1 }],
  ["a throwing getter", 'return tools.a.b({ get x() { throw new Error("mine") } })', /mine/],
  [
    "a proxy as an argument",
    'return (await tools.a.b(new Proxy({}, { ownKeys: () => ["x"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }), get: () => 7 }))).args',
    /.*/,
  ],
  ["an argument in a circle", "const a = {}; a.a = a; return tools.a.b(a)", /circular/],
  ["a function as an argument", "return (await tools.a.b({ f() {}, s: Symbol() })).args", {}],
  ["a path that is an object", 'return (await tools[{ toString: () => "files" }].read({})).tool', "files.read"],
  ["replacing tools", 'tools = { a: { b: () => "forged" } }; return typeof tools.a', /.*/],
  ["writing into tools", "tools.files = 1; return (await tools.files.read({})).tool", /.*/],
  [
    "a forged answer",
    "const { then } = Promise.prototype; Promise.prototype.then = function (a, b) { return then.call(this, a, b) }; return (await tools.a.b({})).kind",
    "call",
  ],
  // Thenables, names, errors.
  ["awaiting tools", "await tools; await tools.a; return 1", 1],
  ["a thenable as a result", "return { then: (done) => done(7) }", 7],
  ["a thenable without an end", "return { then() {} }", /never happens/],
  ["a thenable that throws", 'return { get then() { throw new Error("mine") } }', /mine/],
  ["a unicode name", 'return (await tools["fïles\\u202e"]["re\\u0000ad"]({})).tool', "fïles\u202e.re\u0000ad"],
  ["a lone surrogate", 'return (await tools.a.b({ x: "\\ud800" })).args.x.length', 1],
  [
    "a symbol as a name",
    "return typeof tools[Symbol.iterator] + typeof tools.a[Symbol.toPrimitive]",
    "undefinedundefined",
  ],
  ["throwing null", "throw null", /null/],
  ["throwing a proxy", 'throw new Proxy(new Error("x"), { get() { throw 1 } })', /.*/],
  [
    "an error that lies",
    'throw Object.assign(new Error("x"), { message: { toString: () => "mine" }, name: 7 })',
    /mine/,
  ],
  ["a rejection that no one handles", 'Promise.reject(new Error("x")); return 1', 1],
  // Too much.
  ["an endless loop", "for (;;) {}", /too long/],
  ["an endless loop in a getter", "return { get x() { for (;;) {} } }", /too long/],
  ["an endless loop in toString", "console.log({ toJSON() { for (;;) {} } })", /too long/],
  ["a loop that catches its end", "for (;;) try { for (;;) {} } catch {}", /too long/],
  ["endless microtasks", "const f = () => Promise.resolve().then(f); await f()", /too long|memory/],
  ["endless awaits", "for (;;) await null", /too long/],
  ["deep recursion", "const f = (n) => f(n + 1) + 1; return f(0)", /stack|deep/],
  ["deep recursion through a proxy", "const p = new Proxy({}, { get: (t, k, r) => r[k] }); return p.x", /stack|deep/],
  [
    "deep recursion through JSON",
    "let o = []; for (let i = 0; i < 1e5; i++) o = [o]; return o",
    /stack|deep|long|memory/,
  ],
  ["a deep text of JSON", 'return JSON.parse("[".repeat(1e5))', /stack|deep|long|memory|JSON/],
  ["a deep pattern", 'return new RegExp("(".repeat(1e5))', /stack|deep|long|memory|captures/],
  ["a pattern that backtracks", 'return /(a+)+$/.test("a".repeat(60) + "b")', /too long/],
  ["a memory bomb", 'const a = []; for (;;) a.push("x".repeat(1e6) + a.length)', /memory|too long/],
  ["a huge string", 'return "x".repeat(2 ** 29)', /memory|length/],
  ["a doubling string", 'let s = "x"; for (;;) s += s', /memory|long/],
  ["a huge array", "return new Array(2 ** 31).fill(0)", /memory|too long/],
  ["a huge buffer", "return new ArrayBuffer(2 ** 40).byteLength", /memory|length/],
  ["a huge number", "return 2n ** (2n ** 40n)", /large|memory/],
  ["a step that can't be interrupted", 'return new Array(2 ** 31).join("ab")', /memory|too long/],
  ["too much output", 'for (let i = 0; i < 100; i++) console.log("x".repeat(1e4))', /characters/],
  ["too many calls", "for (let i = 0; i < 30; i++) await tools.a.b({})", /20 calls/],
  ["too many calls at once", "return Promise.all(Array.from({ length: 30 }, () => tools.a.b({})))", /20 calls/],
  ["a clock that moves", "const t = Date.now(); for (let i = 0; i < 1e5; i++); return Date.now() - t", 0],
];

test("there are at least 60 attempts", () => expect(attempts.length).toBeGreaterThanOrEqual(60));

test.for(attempts)("%s", { timeout: 60_000 }, async ([, code, expected]) => {
  const end = await run(code);
  const got = end.kind === "returned" ? end.value : end.message;
  const isText = expected instanceof RegExp;
  const [seen, wanted] = isText
    ? [expected.exec(String(got))?.[0] ?? got, expected.exec(String(got))?.[0] ?? `something like ${expected.source}`]
    : [JSON.parse(JSON.stringify(got ?? null)), expected];
  expect(seen).toEqual(wanted);
  expect(String(got)).not.toMatch(/object process|function process|node:/);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});
