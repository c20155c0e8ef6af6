import { isUtf8 } from "node:buffer";
import { Fault } from "../core/fault.ts";

/** JSON from bytes: text that is no UTF-8 is refused, where a decoder would put other characters in its place. */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new Fault("bad-json", "Parse error: the message is not UTF-8.");
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (cause) {
    throw new Fault("bad-json", "Parse error: the message is not JSON.", { cause });
  }
}
