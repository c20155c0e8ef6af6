import { readRawConfig } from "../../core/config/edit-config.ts";
import type { FoundConfig } from "../../core/config/find-config.ts";
import { appendJson5 } from "../../core/config/json5/edit-json5.ts";
import { Fault } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import { asRecord } from "../../core/is-record.ts";
import { needsNoNamespace } from "../../core/process/pid-namespace.ts";
import { missingServices } from "../../sources/servers/sandbox/session-services.ts";
import type { CommandContext } from "../command-context.ts";
import { isYes } from "../terminal/read-line.ts";
import { trialLines, tryInSandbox } from "./sandbox-trial.ts";

type Settings = Readonly<Record<string, unknown>>;

/** A server that is to be added. */
interface NewServer {
  readonly place: FoundConfig;
  readonly name: string;
  readonly settings: Settings;
}

/** Adds to the settings of a new command what it needs: the sandbox that it works in, or what acts for the user. */
export async function completeCommand(
  context: CommandContext,
  home: Home,
  { place, name, settings }: NewServer,
  wants: { readonly sandbox: boolean; readonly yes: boolean },
): Promise<Settings> {
  if (typeof settings["command"] !== "string") return settings;
  if (!wants.sandbox) return offerServices(context, name, settings);
  const { text } = await readRawConfig(place.path);
  const draft = { ...place, name, text: appendJson5(text, ["servers"], { [name]: settings }) };
  const found = await tryInSandbox(context, home, draft, wants.yes);
  for (const line of trialLines(name, found)) context.say(line);
  if (!found.trial.isGood)
    throw new Fault("unavailable", `${name} does not work in a sandbox of its own: ${found.trial.reason ?? ""}`);
  return { ...settings, ...found.settings, env: { ...asRecord(settings["env"]), ...found.settings.env } };
}

/** What acts for the user is hidden from a command unless its variables name it: the user decides. */
async function offerServices(context: CommandContext, name: string, settings: Settings): Promise<Settings> {
  const command = String(settings["command"]);
  const args = Array.isArray(settings["args"]) ? settings["args"].map(String) : [];
  const given = asRecord(settings["env"]) as Readonly<Record<string, string>>;
  if (needsNoNamespace(command.includes("/") ? command : `/${command}`))
    context.say(`${command} needs setuid programs, so ${name} runs without a sandbox.`);
  let env = given;
  for (const { service, env: variables } of missingServices({ command, args, given }, context.env)) {
    const what = Object.keys(variables).join(", ");
    const answer = context.json
      ? undefined
      : await context.ask(`${name} seems to need your ${service}, which its sandbox hides. Give it ${what}? [y/N] `);
    if (isYes(answer ?? "")) env = { ...env, ...variables };
    else context.say(serviceHint(name, service, variables));
  }
  return env === given ? settings : { ...settings, env };
}

/** How the user gives it later. */
export function serviceHint(name: string, service: string, variables: Readonly<Record<string, string>>): string {
  const words = Object.entries(variables).map(([key, value]) => `--env '${key}=${value}'`);
  return `${name} seems to need your ${service}, which its sandbox hides. To give it that, run \`clawport connect ${name} ${words.join(" ")}\`.`;
}
