import { Fault } from "../../core/fault.ts";
import { isRecord } from "../../core/is-record.ts";
import type { FoundConfig } from "../../core/config/find-config.ts";
import type { Home } from "../../core/files/home.ts";
import type { DiffRow } from "../../core/text/compare-lines.ts";
import type { CommandContext } from "../command-context.ts";
import { type CommandGroup, defineCommand } from "../command.ts";
import { trustOption } from "../options.ts";

const tryServer = defineCommand({
  name: "try",
  summary: "run a server in a sandbox, and propose what the sandbox has to give it",
  args: [{ name: "server", description: "the server", completes: "servers" }],
  options: {
    yes: { type: "boolean", short: "y", description: "don't ask: give it what it was refused, and write the result" },
    "dry-run": { type: "boolean", description: "show the change, and write nothing" },
    ...trustOption,
  },
  async run(context) {
    const [name = ""] = context.args;
    const { yes = false, "dry-run": isDry = false, trust = false } = context.options;
    const { findConfigOf } = await import("../../hub/state/active-config.ts");
    const { openHomeOf } = await import("../../hub/state/open-home.ts");
    const { tryInSandbox, trialLines } = await import("../output/sandbox-trial.ts");
    const place = findConfigOf(context);
    if (place === undefined)
      throw new Fault("not-found", "No servers are configured. Run `clawport connect` to add one.");
    const home = await openHomeOf(context);
    const text = await trustedText(context, home, place, trust);
    const found = await tryInSandbox(context, home, { ...place, text, name }, yes);
    const diff = await planChange(text, name, found.settings);
    const isWritten = diff.length > 0 && !isDry && found.trial.isGood && (yes || (await confirm(context, diff)));
    if (isWritten) {
      const { createConfigEditor } = await import("../../hub/control/settings/config-editor.ts");
      await createConfigEditor(context, home, trust).set(place, name, found.settings);
    }
    const shown = isWritten || yes || isDry || !context.isAttended ? renderDiff(context, diff) : [];
    const end =
      diff.length === 0
        ? "Nothing has to be changed."
        : isWritten
          ? `Saved to ${place.path}.`
          : "Nothing was written. Run it with --yes to accept the proposal.";
    const { isGood, reason, tools, called } = found.trial;
    const data = {
      server: name,
      works: isGood,
      reason,
      tools,
      called,
      proposal: found.settings,
      withheld: found.withheld,
    };
    context.answer({ ...data, written: isWritten }, [...trialLines(name, found), ...shown, end].join("\n"));
    return isGood ? 0 : 1;
  },
});

export const command: CommandGroup = {
  name: "sandbox",
  summary: "find the sandbox that a server works in",
  commands: [tryServer],
  examples: ["clawport sandbox try notes", "clawport sandbox try notes --yes"],
};

async function trustedText(context: CommandContext, home: Home, place: FoundConfig, trust: boolean): Promise<string> {
  const { readRawConfig } = await import("../../core/config/edit-config.ts");
  const { requireOwnConfig } = await import("../../hub/state/load-named-config.ts");
  const { loadTrustedConfigOf } = await import("../../hub/state/require-trust.ts");
  const { text } = await readRawConfig(place.path);
  await requireOwnConfig(place.path, text);
  await loadTrustedConfigOf(context, home, trust);
  return text;
}

/** What the proposal changes in the configuration, line by line. */
async function planChange(text: string, name: string, settings: object): Promise<readonly DiffRow[]> {
  const { setJson5 } = await import("../../core/config/json5/edit-json5.ts");
  const { diffLines } = await import("../../hub/clients/line-diff.ts");
  const { sandbox, env } = settings as { readonly sandbox: unknown; readonly env?: unknown };
  const variables = Object.entries(isRecord(env) ? env : {});
  const changed = setJson5(text, ["servers", name, "sandbox"], sandbox);
  return diffLines(
    text,
    variables.reduce((now, [key, value]) => setJson5(now, ["servers", name, "env", key], value), changed),
  );
}

function renderDiff({ style }: CommandContext, diff: readonly DiffRow[]): readonly string[] {
  const colours = { "+": style.green, "-": style.red, " ": style.dim };
  return diff.map(({ mark, text }) => colours[mark](`${mark} ${text}`));
}

async function confirm(context: CommandContext, diff: readonly DiffRow[]): Promise<boolean> {
  if (context.json) return false;
  const { isYes } = await import("../terminal/read-line.ts");
  return isYes(
    (await context.ask(`${renderDiff(context, diff).join("\n")}\nWrite this to the configuration? [y/N] `)) ?? "",
  );
}
