import { Fault } from "../../core/fault.ts";
import type { CommandContext } from "../command-context.ts";
import { defineCommand } from "../command.ts";
import { trustOption } from "../options.ts";

export const command = defineCommand({
  name: "auth",
  summary: "sign in to a server with OAuth, or out of it again",
  args: [
    {
      name: "server",
      description: 'which one; "client-document" prints the document that describes Clawport to authorization servers',
      optional: true,
    },
  ],
  options: {
    code: {
      type: "string",
      value: "<code|address>",
      description: "finish a sign-in with the code, or with the whole address that the browser ended at",
    },
    "no-browser": { type: "boolean", description: "show the address instead of opening a browser" },
    device: { type: "boolean", description: "sign in with a code on another device" },
    scope: { type: "string", value: "<scopes>", description: "ask for these rights besides the usual ones" },
    issuer: {
      type: "string",
      value: "<address>",
      description: "accept this authorization server in place of the old one",
    },
    logout: { type: "boolean", description: "revoke the tokens and forget them" },
    list: { type: "boolean", description: "list the sign-ins" },
    url: { type: "string", value: "<https address>", description: "where the client document will be hosted" },
    ...trustOption,
  },
  examples: [
    "clawport auth github",
    "clawport auth github --no-browser",
    "clawport auth github --code 'http://127.0.0.1:41234/callback?code=…&state=…'",
    "clawport auth github --logout",
    "clawport auth client-document --url https://example.com/clawport.json",
  ],
  async run(context) {
    const [server] = context.args;
    const { options } = context;
    if (options.list) return listSignIns(context);
    if (server === undefined) throw new Fault("usage", 'Say which server: "clawport auth <server>"; --list shows all');
    if (server === "client-document") return printDocument(context, options.url);
    return options.logout ? signOut(context, server) : signIn(context, server);
  },
});

async function signIn(context: CommandContext, server: string): Promise<number> {
  const { runVerb } = await import("../run-verb.ts");
  const { runAuth } = await import("../../hub/verbs/auth.ts");
  const { createTerminalSignIn } = await import("../terminal/terminal-sign-in.ts");
  const { code, device, scope, issuer, trust } = context.options as {
    readonly code?: string;
    readonly device?: boolean;
    readonly scope?: string;
    readonly issuer?: string;
    readonly trust?: boolean;
  };
  return runVerb(context, {
    need: { servers: "none" },
    trust,
    tidies: true,
    run: (handler) =>
      runAuth(handler, createTerminalSignIn(context, context.options["no-browser"] === true), {
        server,
        code,
        device,
        scope,
        issuer,
      }),
  });
}

async function signOut(context: CommandContext, server: string): Promise<number> {
  const { runVerb } = await import("../run-verb.ts");
  const { runLogout } = await import("../../hub/verbs/auth.ts");
  const trust = context.options["trust"] === true;
  return runVerb(context, { need: { servers: "none" }, trust, run: (handler) => runLogout(handler, server) });
}

async function listSignIns(context: CommandContext): Promise<number> {
  const { runVerb } = await import("../run-verb.ts");
  const { runAuthList } = await import("../../hub/verbs/auth.ts");
  const trust = context.options["trust"] === true;
  return runVerb(context, { need: { servers: "none" }, trust, run: runAuthList });
}

async function printDocument(context: CommandContext, url: string | undefined): Promise<number> {
  const { clientDocument, clientDocumentAddress } =
    await import("../../sources/servers/oauth/registration/client-document.ts");
  const { loadConfigOf } = await import("../config-of.ts");
  const publicUrl = url === undefined ? (await loadConfigOf(context)).config.hub.publicUrl : undefined;
  const address = url ?? (publicUrl && clientDocumentAddress(publicUrl));
  if (address === undefined)
    throw new Fault(
      "usage",
      "Say where it will be hosted: --url https://example.com/clawport.json. A hub serves it by itself only if it has a hub.publicUrl.",
    );
  const document = clientDocument(address);
  context.answer(document, JSON.stringify(document, undefined, 2));
  return 0;
}
