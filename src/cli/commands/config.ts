import { type CommandGroup, defineCommand } from "../command.ts";

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
    const { isOff, readConfigOf } = await import("../config-of.ts");
    const { formatProblemAt } = await import("../../core/config/config-problem.ts");
    const { config, file } = await readConfigOf(context);
    const servers = Object.keys(config.servers);
    const { path = null, envNames: environment = [], waiting = [], warnings = [] } = file ?? {};
    const text =
      path === null
        ? "no configuration: the defaults hold"
        : [
            `${path} is good: ${servers.length === 0 ? "no servers" : `servers ${servers.join(", ")}`}`,
            ...waiting.map((problem) => `  ${formatProblemAt(path, problem)}: ${isOff}`),
            ...warnings.map((problem) => `  ${formatProblemAt(path, problem)}`),
          ].join("\n");
    context.answer({ ok: true, path, servers, environment, waiting, warnings }, text);
  },
});

const schema = defineCommand({
  name: "schema",
  summary: "print the JSON Schema of the configuration, for editors",
  async run(context) {
    const { configJsonSchema } = await import("../../core/config/config-schema.ts");
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
