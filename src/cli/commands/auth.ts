import { Fault } from "../../core/fault.ts";
import type { CommandContext } from "../command-context.ts";
import { defineCommand } from "../command.ts";
import { type OptionTable, trustOption } from "../options.ts";

const options = {
  code: {
    type: "string",
    value: "<code|address>",
    description: "finish a sign-in with the code, or with the whole address the browser was sent to",
  },
  "no-browser": { type: "boolean", description: "show the address instead of opening a browser" },
  device: { type: "boolean", description: "sign in with a code on another device" },
  scope: { type: "string", value: "<scopes>", description: "request these scopes in addition to the usual ones" },
  issuer: {
    type: "string",
    value: "<address>",
    description: "accept this authorization server in place of the previous one",
  },
  logout: { type: "boolean", description: "revoke the tokens and forget them" },
  list: { type: "boolean", description: "list the sign-ins" },
  url: { type: "string", value: "<https address>", description: "where the client document will be hosted" },
  ...trustOption,
} as const satisfies OptionTable;

type AuthContext = CommandContext<typeof options>;

export const command = defineCommand({
  name: "auth",
  summary: "sign in to a server with OAuth, or sign out",
  args: [
    {
      name: "server",
      completes: "servers",
      description: 'the server; "client-document" prints the document that describes Clawport to authorization servers',
      optional: true,
    },
  ],
  options,
  examples: [
    "clawport auth github",
    "clawport auth github --no-browser",
    "clawport auth github --code 'http://127.0.0.1:41234/callback?code=…&state=…'",
    "clawport auth github --logout",
    "clawport auth client-document --url https://example.com/clawport.json",
  ],
  async run(context) {
    const [server] = context.args;
    if (context.options.list) return listSignIns(context);
    if (server === undefined)
      throw new Fault("usage", "Name a server: `clawport auth <server>`. `clawport auth --list` lists the sign-ins.");
    if (server === "client-document") return printDocument(context);
    return context.options.logout ? signOut(context, server) : signIn(context, server);
  },
});

async function signIn(context: AuthContext, server: string): Promise<number> {
  const { runPresentation } = await import("../run-presentation.ts");
  const { runAuth } = await import("../../hub/presentation/auth.ts");
  const { createTerminalSignIn } = await import("../terminal/terminal-sign-in.ts");
  const { code, device, scope, issuer, trust } = context.options;
  const ui = createTerminalSignIn(context, context.options["no-browser"] === true);
  return runPresentation(context, {
    need: { servers: "none" },
    trust,
    tidies: true,
    run: (handler) => runAuth(handler, ui, { server, code, device, scope, issuer }),
  });
}

async function signOut(context: AuthContext, server: string): Promise<number> {
  const { runPresentation } = await import("../run-presentation.ts");
  const { runLogout } = await import("../../hub/presentation/auth.ts");
  const { trust } = context.options;
  return runPresentation(context, { need: { servers: "none" }, trust, run: (handler) => runLogout(handler, server) });
}

async function listSignIns(context: AuthContext): Promise<number> {
  const { runPresentation } = await import("../run-presentation.ts");
  const { runAuthList } = await import("../../hub/presentation/auth.ts");
  return runPresentation(context, { need: { servers: "none" }, trust: context.options.trust, run: runAuthList });
}

async function printDocument(context: AuthContext): Promise<number> {
  const { clientDocument, clientDocumentAddress } =
    await import("../../sources/servers/oauth/registration/client-document.ts");
  const { loadTrustedConfigOf } = await import("../../hub/state/require-trust.ts");
  const { openHomeOf } = await import("../../hub/state/open-home.ts");
  const { url, trust = false } = context.options;
  const load = async () => loadTrustedConfigOf(context, await openHomeOf(context), trust);
  const publicUrl = url === undefined ? (await load()).config.hub.publicUrl : undefined;
  const address = url ?? (publicUrl && clientDocumentAddress(publicUrl));
  if (address === undefined)
    throw new Fault(
      "usage",
      "Name the address it will be hosted at: --url https://example.com/clawport.json. The hub serves it itself if `hub.publicUrl` is set.",
    );
  const document = clientDocument(address);
  context.answer(document, JSON.stringify(document, undefined, 2));
  return 0;
}
