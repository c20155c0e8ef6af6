import { type ConfigProblem, formatProblemAt } from "../../core/config/config-problem.ts";
import type { LoadedConfig } from "../../core/config/load-config.ts";
import { Fault, messageOf } from "../../core/fault.ts";
import { asRecord } from "../../core/is-record.ts";
import { sanitizeLine } from "../../core/text/peer-text.ts";
import type { CommandContext } from "../command-context.ts";
import { type CommandGroup, defineCommand } from "../command.ts";
import { configName } from "../../core/config/find-config.ts";

const path = defineCommand({
  name: "path",
  summary: "print the path of the active configuration",
  async run(context) {
    const { findConfigOf } = await import("../../hub/state/active-config.ts");
    const { homePath } = await import("../../hub/state/open-home.ts");
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
    const { isOff, readConfigOf } = await import("../../hub/state/active-config.ts");
    const { config, file } = await readConfigOf(context);
    const servers = Object.keys(config.servers);
    const { path = null, envNames: environment = [], waiting = [] } = file ?? {};
    const warnings = file === undefined ? [] : [...file.warnings, ...(await missedRules(context, file))];
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

/** Only a running hub that uses this file knows which tools there are. */
async function missedRules(context: CommandContext, file: LoadedConfig): Promise<readonly ConfigProblem[]> {
  const { mayHaveHub } = await import("../../hub/state/open-home.ts");
  if (!mayHaveHub(context)) return [];
  const { askRunningHub } = await import("../../hub/control/ask-running-hub.ts");
  const { findMissedRules } = await import("../../hub/doctor/missed-rules.ts");
  const tools = await askRunningHub(context, async ({ configuration, tools }) =>
    (await configuration.place()).path === file.path ? tools.list() : [],
  );
  return findMissedRules(file, tools ?? []);
}

const schema = defineCommand({
  name: "schema",
  summary: "print the JSON Schema of the configuration, for your editor",
  async run(context) {
    const { configJsonSchema } = await import("../../core/config/config-schema.ts");
    const value = configJsonSchema();
    context.answerAsIs(value, JSON.stringify(value, undefined, 2));
  },
});

const show = defineCommand({
  name: "show",
  summary: "print the active configuration as it is written, with secrets masked",
  async run(context) {
    const { openControl } = await import("../../hub/open-control.ts");
    const { control, close } = await openControl(context, { servers: "none" }, false);
    try {
      const found = await control.configuration.read();
      context.answerAsIs(found, found.text ?? `There is nothing to show at ${found.path}.`);
    } finally {
      await close();
    }
  },
});

const write = defineCommand({
  name: "write",
  summary: "replace the configuration by a file, and apply it; values that `config show` masked stay as they are",
  args: [{ name: "file", description: "the new text; - for stdin" }],
  options: {
    base: {
      type: "string",
      value: "<hash>",
      description: "only if the configuration still has this `hash` (see `config show --json`)",
    },
  },
  examples: ["clawport config show > new.json5", "clawport config write new.json5"],
  async run(context) {
    const text = await readInput(context, context.args[0] ?? "");
    const { control, close } = await openEditing(context);
    try {
      const baseHash = context.options.base ?? (await control.configuration.read()).hash;
      const written = await control.configuration.write({ text, baseHash });
      context.answer(written, `Saved to ${written.path}.`);
    } finally {
      await close();
    }
  },
});

const rules = defineCommand({
  name: "rules",
  summary: "show the rules of the policy, try others on the last 1,000 calls, or save them",
  options: {
    try: {
      type: "string",
      value: "<file>",
      completes: "file",
      description: "say what the rules in this file would have done; - for stdin",
    },
    save: {
      type: "string",
      value: "<file>",
      completes: "file",
      description: "replace the rules by those in this file; - for stdin",
    },
    base: {
      type: "string",
      value: "<hash>",
      description: "only if the configuration still has this `hash` (see `--json`)",
    },
  },
  examples: [
    "clawport config rules --json",
    "clawport config rules --try rules.json",
    "clawport config rules --save rules.json",
  ],
  async run(context) {
    const { options } = context;
    const { control, close } = await openEditing(context);
    try {
      if (options.try !== undefined) {
        const trial = await control.rules.dryRun({ rules: await readRules(context, options.try) });
        const { calls, allow, ask, deny, changed, examples } = trial;
        const lines = examples
          .slice(0, 20)
          .map(({ tool, caller, was, would, by }) => `  ${tool} (${caller}): ${was} → ${would}, by ${by}`);
        const sum = `Of the last ${calls} calls, ${allow} would be allowed, ${ask} would need approval, and ${deny} would be denied. ${changed} would be judged otherwise than they were.`;
        return context.answer(trial, sanitizeLines([sum, ...lines]));
      }
      const list =
        options.save === undefined
          ? await control.rules.list()
          : await control.rules.save({ rules: await readRules(context, options.save), baseHash: options.base });
      const text = JSON.stringify(list.rules, undefined, 2);
      context.answer(list, options.save === undefined ? text : `Saved to ${list.path}.`);
    } finally {
      await close();
    }
  },
});

export const command: CommandGroup = {
  name: "config",
  summary: "find, check and change the configuration",
  commands: [path, check, schema, show, write, rules],
  examples: [
    "clawport config check",
    "clawport config schema > clawport.schema.json",
    "clawport config rules --try rules.json",
  ],
};

async function openEditing(context: CommandContext) {
  const { openEditingControl } = await import("../../hub/open-control.ts");
  return openEditingControl(context, false);
}

const largestInput = 4 * 1024 * 1024;

async function readInput(context: CommandContext, name: string): Promise<string> {
  if (name === "-") {
    const { text } = await import("node:stream/consumers");
    return text(context.stdin);
  }
  const { resolve } = await import("node:path");
  const { readRegularFile } = await import("../../core/files/read-regular-file.ts");
  const file = resolve(context.cwd, name);
  return readRegularFile(file, largestInput).catch((cause: unknown) => {
    throw new Fault("usage", `Could not read ${file}: ${messageOf(cause)}.`, { cause });
  });
}

/** A list, or an object that has it as `rules`. */
async function readRules(context: CommandContext, name: string): Promise<readonly unknown[]> {
  const { readJson5 } = await import("../../core/config/json5/read-json5.ts");
  const { value } = readJson5(await readInput(context, name));
  const rules = Array.isArray(value) ? (value as unknown[]) : asRecord(value)["rules"];
  if (!Array.isArray(rules)) throw new Fault("usage", `${name} does not hold a list of rules.`);
  return rules;
}

function sanitizeLines(lines: readonly string[]): string {
  return lines.map((line) => sanitizeLine(line)).join("\n");
}
