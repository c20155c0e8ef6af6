import { Fault } from "../core/fault.ts";
import type { RpcError } from "./json-rpc.ts";

/** A JSON-RPC error another server answered with: passed on as it came, its message bounded. */
export class RpcFault extends Fault {
  readonly error: RpcError;

  constructor(error: RpcError) {
    super(
      "unavailable",
      typeof error.message === "string" ? error.message.slice(0, 2000) : "The server gave no reason.",
      { detail: error.data },
    );
    this.error = { ...error, message: this.message };
  }
}
