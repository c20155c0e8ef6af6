import { isAbsolute, join, resolve } from "node:path";
import { escapeDollars, isName } from "./dialects.ts";
import type { Fields } from "./fields.ts";
import type { ImportedServer, Surroundings } from "./reading.ts";
import type { Remarks } from "./remarks.ts";

/** The part of a server that is started as a command; nothing when the entry has no command. */
export function convertCommand(fields: Fields, around: Surroundings, remarks: Remarks): ImportedServer | undefined {
  const [command, ...first] = fields.texts("command", "executable") ?? [];
  const args = [...first, ...(fields.texts("args") ?? [])];
  const given = fields.text("cwd", "workingDirectory");
  const env = { ...forwarded(fields), ...fields.record("env") };
  const envFile = fields.text("envFile");
  if (command === undefined || command === "") return undefined;
  if (envFile !== undefined) remarks.note(`its envFile ${envFile} is not read; put what the server needs into env`);
  noteBridge([command, ...args], remarks);
  const cwd = given === undefined ? neededFolder(command, args, around) : toWhole(given, around);
  return {
    command: expandHome(command, around),
    ...(args.length > 0 && { args }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(cwd !== undefined && { cwd }),
  };
}

/** Variables that are handed on where they are set, and only there: one that is not set must not stop the start. */
function forwarded(fields: Fields): Record<string, string> {
  const names = fields.texts("env_vars") ?? [];
  return Object.fromEntries(names.filter(isName).map((name) => [name, `\${${name}:-}`]));
}

/** The folder of the project, where the command would not be found without it. */
function neededFolder(command: string, args: readonly string[], around: Surroundings): string | undefined {
  const isRelative = /[/\\]/.test(command) && !isAbsolute(command) && !/^[~$]/.test(command);
  const depends = isRelative || args.some((arg) => /^\.{1,2}(?:[/\\]|$)/.test(arg));
  return depends && around.scope === "project" ? escapeDollars(around.folder) : undefined;
}

function toWhole(path: string, around: Surroundings): string {
  const expanded = expandHome(path, around);
  const isWhole = isAbsolute(expanded) || expanded.startsWith("$");
  return isWhole ? expanded : escapeDollars(resolve(around.folder, expanded));
}

function expandHome(path: string, { homedir }: Surroundings): string {
  return /^~(?=[/\\])/.test(path) ? join(escapeDollars(homedir), path.slice(2)) : path;
}

/** Bridges exist for clients that can't reach a server over HTTP themselves. */
function noteBridge(words: readonly string[], remarks: Remarks): void {
  const isBridge = words.some((word) => /^(?:mcp-remote|supergateway)(?:@.*)?$/.test(word));
  const url = words.find((word) => word.startsWith("https://"));
  if (isBridge && url !== undefined) remarks.note("it is a bridge; Clawport can reach the server itself by its `url`");
}
