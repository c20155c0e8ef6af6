import { Fault } from "../../core/fault.ts";
import { countText } from "../../core/text/count-text.ts";
import { quoted } from "../../core/text/peer-text.ts";
import type { SecretStore } from "../../sources/servers/secrets/secret-store.ts";
import type { CommandContext } from "../command-context.ts";
import { type CommandGroup, defineCommand } from "../command.ts";

const set = defineCommand({
  name: "set",
  summary: "keep a secret, read from standard input or typed unseen",
  args: [{ name: "name", description: "the secret's name" }],
  async run(context) {
    const [name = ""] = context.args;
    const { checkSecretName } = await import("../../sources/servers/secrets/secret-store.ts");
    checkSecretName(name);
    const value = context.stdin.isTTY === true ? await readTyped(name, context) : await readAll(context);
    await (await storeOf(context)).set(name, value);
    context.answer({ name }, `Saved. Write \${keychain:${name}} where the configuration needs it.`);
  },
});

const list = defineCommand({
  name: "list",
  summary: "list the secrets by name, never their values",
  async run(context) {
    const names = await (await storeOf(context)).names();
    context.answer({ secrets: names }, names.length === 0 ? "There are no secrets." : names.join("\n"));
  },
});

const remove = defineCommand({
  name: "remove",
  summary: "forget a secret",
  args: [{ name: "name", description: "the secret's name" }],
  async run(context) {
    const [name = ""] = context.args;
    if (!(await (await storeOf(context)).remove(name)))
      throw new Fault("not-found", `There is no secret ${quoted(name, 100)}. Run \`clawport secret list\` to see all.`);
    context.answer({ removed: name }, `Removed the secret ${name}.`);
  },
});

const importFile = defineCommand({
  name: "import",
  summary: "keep the secrets of a file with lines like NAME=value",
  args: [{ name: "file", description: "the file, such as .env" }],
  async run(context) {
    const [file = ""] = context.args;
    const { resolve } = await import("node:path");
    const { readRegularFileNow } = await import("../../core/files/read-regular-file.ts");
    const { parseEnv } = await import("node:util");
    const found = Object.entries(parseEnv(readRegularFileNow(resolve(context.cwd, file), 1024 * 1024)));
    const store = await storeOf(context);
    const kept = found.flatMap(([name, value]) =>
      value === undefined || value === "" ? [] : [[name, value] as const],
    );
    for (const [name, value] of kept) await store.set(name, value);
    const names = kept.map(([name]) => name);
    const text = `Saved ${countText(names.length, "secret")}. Write them as ${names.map((name) => `\${keychain:${name}}`).join(" ")}, and delete the file.`;
    context.answer({ secrets: names }, names.length === 0 ? "The file has no secrets." : text);
  },
});

export const command: CommandGroup = {
  name: "secret",
  summary: "keep secrets for the configuration, encrypted",
  commands: [set, list, remove, importFile],
  examples: ["pass show github | clawport secret set github", "clawport secret list", "clawport secret import .env"],
};

async function storeOf(context: CommandContext): Promise<SecretStore> {
  const { openHomeOf } = await import("../../hub/state/open-home.ts");
  const { openSecretStore } = await import("../../sources/servers/secrets/secret-store.ts");
  const { path } = await openHomeOf(context);
  return openSecretStore({ home: path, env: context.env, log: context.log });
}

const maxInput = 1024 * 1024;

async function readAll({ stdin }: CommandContext): Promise<string> {
  let text = "";
  for await (const chunk of stdin) {
    text += String(chunk);
    if (text.length > maxInput) throw new Fault("usage", "The secret is too long.");
  }
  return text.replace(/\r?\n$/, "");
}

async function readTyped(name: string, { stdin, stderr }: CommandContext): Promise<string> {
  const { readHiddenLine } = await import("../terminal/read-line.ts");
  // The echo is off before the question is there: an answer that is typed at once is not shown either.
  const typing = readHiddenLine(stdin);
  stderr.write(`The value of ${name} (it is not shown; a text of several lines comes by a pipe): `);
  const typed = await typing;
  stderr.write("\n");
  if (typed === undefined) throw new Fault("cancelled", "No value was typed, so nothing was saved.");
  return typed;
}
