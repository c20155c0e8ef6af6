import type nodeCrypto from "node:crypto";

/**
 * `node:crypto`, loaded when it is first used: loading it takes longer than most commands do, and the ways on which
 * start-up time counts (a client waiting for its first answer) don't need it.
 */
export function crypto(): typeof nodeCrypto {
  return process.getBuiltinModule("node:crypto");
}
