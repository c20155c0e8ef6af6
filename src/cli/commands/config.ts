import type { CommandGroup } from "../command.ts";
import { defineCommand } from "../command.ts";

const path = defineCommand({
  name: "path",
  summary: "say which configuration is in force",
  async run(context) {
    const { findConfigOf } = await import("../config-of.ts");
    const { configName } = await import("../../core/config/find-config.ts");
    const { homePath } = await import("../open-home.ts");
    const { join } = await import("node:path");
    const found = findConfigOf(context);
    if (found !== undefined) return context.answer(found, found.path);
    const looked = [join(context.cwd, configName), join(homePath(context), configName)];
    context.answer(
      { path: null, looked },
      `none: the defaults hold. A file is looked for at\n  ${looked.join("\n  ")}`,
    );
  },
});

const check = defineCommand({
  name: "check",
  summary: "check the configuration and list everything wrong with it",
  async run(context) {
    const { loadConfigOf } = await import("../config-of.ts");
    const { config, file } = await loadConfigOf(context, true);
    const servers = Object.keys(config.servers);
    const text =
      file === undefined
        ? "no configuration: the defaults hold"
        : `${file.path} is good: ${servers.length === 0 ? "no servers" : `servers ${servers.join(", ")}`}`;
    context.answer({ ok: true, path: file?.path ?? null, servers, environment: file?.envNames ?? [] }, text);
  },
});

const schema = defineCommand({
  name: "schema",
  summary: "print the JSON Schema of the configuration, for editors",
  async run(context) {
    const { configJsonSchema } = await import("../../core/config/json-schema.ts");
    const value = configJsonSchema();
    context.answer(value, JSON.stringify(value, undefined, 2));
  },
});

export const command: CommandGroup = {
  name: "config",
  summary: "find, check and describe the configuration",
  commands: [path, check, schema],
  examples: ["clawport config check", "clawport config schema > clawport.schema.json"],
};
