import { type CommandGroup, defineCommand } from "../command.ts";

const path = defineCommand({
  name: "path",
  summary: "print the path of the active configuration",
  async run(context) {
    const { findConfigOf } = await import("../../hub/active-config.ts");
    const { configName } = await import("../../core/config/find-config.ts");
    const { homePath } = await import("../../hub/open-home.ts");
    const { join } = await import("node:path");
    const found = findConfigOf(context);
    if (found !== undefined) return context.answer(found, found.path);
    const searched = [join(context.cwd, configName), join(homePath(context), configName)];
    context.answer(
      { path: null, looked: searched },
      `No configuration file, so the defaults apply. Searched for:\n  ${searched.join("\n  ")}`,
    );
  },
});

const check = defineCommand({
  name: "check",
  summary: "check the configuration and list every mistake in it",
  async run(context) {
    const { isOff, readConfigOf } = await import("../../hub/active-config.ts");
    const { formatProblemAt } = await import("../../core/config/config-problem.ts");
    const { config, file } = await readConfigOf(context);
    const servers = Object.keys(config.servers);
    const { path = null, envNames: environment = [], waiting = [], warnings = [] } = file ?? {};
    const text =
      path === null
        ? "No configuration file, so the defaults apply."
        : [
            `${path} is valid: ${servers.length === 0 ? "no servers" : `servers ${servers.join(", ")}`}`,
            ...waiting.map((problem) => `  ${formatProblemAt(path, problem)}: ${isOff}`),
            ...warnings.map((problem) => `  ${formatProblemAt(path, problem)}`),
          ].join("\n");
    context.answer({ ok: true, path, servers, environment, waiting, warnings }, text);
  },
});

const schema = defineCommand({
  name: "schema",
  summary: "print the JSON Schema of the configuration, for your editor",
  async run(context) {
    const { configJsonSchema } = await import("../../core/config/config-schema.ts");
    const value = configJsonSchema();
    context.answer(value, JSON.stringify(value, undefined, 2));
  },
});

export const command: CommandGroup = {
  name: "config",
  summary: "find and check the configuration",
  commands: [path, check, schema],
  examples: ["clawport config check", "clawport config schema > clawport.schema.json"],
};
