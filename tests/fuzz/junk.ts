import type { Random } from "../support/random.ts";

const oddStrings = [
  "",
  " ",
  "\u0000",
  "\n",
  "\u2028",
  "\ud800",
  "🦞",
  "null",
  "__proto__",
  "toString",
  "../../etc/passwd",
  "notifications/initialized",
  "a".repeat(1025),
  "é".repeat(3000),
];

const oddNumbers = [0, -0, -1, 0.1, 1e-300, 1e300, 2 ** 31, 2 ** 53, -(2 ** 63), Number.MAX_VALUE];

/** Names that mean something to JavaScript, to JSON-RPC or to MCP. */
export const oddKeys = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "valueOf",
  "toJSON",
  "then",
  "length",
  "jsonrpc",
  "id",
  "method",
  "params",
  "_meta",
  "progressToken",
  "name",
  "arguments",
  "",
];

/** Any JSON value, the stranger the better. Own properties only, even for the key `__proto__`. */
export function junk(random: Random, depth = 3): unknown {
  switch (random.int(depth > 0 ? 9 : 6)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return random.pick(oddNumbers);
    case 3:
      return random.int(1_000_000);
    case 4:
      return random.pick(oddStrings);
    case 5:
      return `s${random.int(1000)}`;
    case 6:
      return Array.from({ length: random.int(4) }, () => junk(random, depth - 1));
    default:
      return junkObject(random, depth - 1);
  }
}

export function junkObject(random: Random, depth = 2): Record<string, unknown> {
  const entries = Array.from({ length: random.int(5) }, () => [random.pick(oddKeys), junk(random, depth)] as const);
  return Object.fromEntries(entries);
}
