import type { CallContext } from "../../catalog/tool-source.ts";
import type { SpilledText } from "../../mcp/json-spiller.ts";
import type { Output } from "./aggregate.ts";

/** A call through a door that may put long texts into files. */
export interface OrderContext extends CallContext {
  spilled?(text: string): SpilledText | undefined;
  /** For callers that show the answer while it is being made. */
  onOutput?(output: Output): void;
  /** Whether whoever gave the order can be asked something, where the door knows that. */
  readonly canAsk?: boolean;
}
