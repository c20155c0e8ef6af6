import type { Capability } from "../capability.ts";
import { findExecutable } from "../../../core/process/find-program.ts";
import type { Machine } from "../machine.ts";

/** Where programs are, by name. */
export function systemWhich({ env, platform }: Pick<Machine, "env" | "platform">): Capability {
  return {
    name: "system.which",
    title: "Find programs",
    description: "Finds programs in the PATH of this computer. Names that are not found are left out of the answer.",
    risk: "read",
    consent: "always",
    input: {
      type: "object",
      properties: {
        bins: {
          type: "array",
          items: { type: "string", pattern: "^[^/\\\\\\u0000]+$", maxLength: 255 },
          minItems: 1,
          maxItems: 100,
          description: "Names of programs, without a path.",
        },
      },
      required: ["bins"],
      additionalProperties: false,
    },
    output: {
      type: "object",
      properties: { bins: { type: "object", additionalProperties: { type: "string" } } },
      required: ["bins"],
      additionalProperties: false,
    },
    async run({ bins }) {
      const found: Record<string, string> = {};
      for (const name of new Set(bins as string[])) {
        if (name === "." || name === "..") continue;
        const path = await findExecutable(name, env, platform);
        if (path !== undefined) found[name] = path;
      }
      return { payload: { bins: found } };
    },
  };
}
