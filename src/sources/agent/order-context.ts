import type { CallContext } from "../../catalog/tool-source.ts";
import type { SpilledText } from "../../mcp/json-spiller.ts";

/** A call through a door that may put long texts into files. */
export interface OrderContext extends CallContext {
  spilled?(text: string): SpilledText | undefined;
}
