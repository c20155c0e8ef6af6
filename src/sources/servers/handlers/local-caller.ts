import type { Catalog } from "../../../catalog/catalog.ts";
import type { Guard } from "../../../catalog/guard/guard.ts";
import { Fault } from "../../../core/fault.ts";
import type { ToolCaller } from "./servers-control.ts";

/** Calls tools of this process's catalog. */
export function createLocalCaller(catalog: Pick<Catalog, "find">, guard: Pick<Guard, "call">): ToolCaller {
  return {
    async call({ name }, args, context) {
      const tool = catalog.find(name);
      if (tool === undefined) throw new Fault("unknown-tool", `The tool ${name} has just gone. List the tools again.`);
      return guard.call(tool, args, context);
    },
  };
}
