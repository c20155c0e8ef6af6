import type { OptionTable } from "./command.ts";

/** Options that every command takes, before or after its name. */
export const globalOptions = {
  config: {
    type: "string",
    value: "<file>",
    completes: "file",
    description: "read this configuration instead of the one that would be found",
  },
  home: { type: "string", value: "<folder>", completes: "folder", description: "keep state in this folder" },
  json: { type: "boolean", description: "print JSON for a program to read" },
  verbose: { type: "boolean", short: "v", description: "say more; on a failure, show the stack" },
  quiet: { type: "boolean", short: "q", description: "say only what went wrong" },
  help: { type: "boolean", short: "h", description: "show this help" },
  version: { type: "boolean", description: "print the version" },
} as const satisfies OptionTable;
