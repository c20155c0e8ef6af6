import { readFileSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { openCredentialStore } from "../../src/sources/servers/oauth/store/open-credential-store.ts";
import { type ConfiguredPlace, placeWith, runHere } from "../support/cli/test-home.ts";
import type { ShellAnswer } from "../support/cli/run-shell.ts";
import { until } from "../support/until.ts";
import { filesUnder, findSecrets } from "../support/find-secrets.ts";
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  startAuthorizationServer,
} from "../support/oauth/authorization-server.ts";
import { createVisitor } from "../support/oauth/consent.ts";
import { type ProtectedServer, startProtectedServer } from "../support/oauth/protected-server.ts";
import { storeOptions } from "./store-options.ts";

const visit = join(import.meta.dirname, "fixtures", "visit.ts");

/**
 * An authorization server, a server that it protects, and a home in which the latter is configured as `one`. Whatever a
 * test does here, no secret may be left in anything that was printed or written: that is looked for at the end.
 */
export interface OAuthPlace extends AsyncDisposable {
  readonly authority: AuthorizationServer;
  readonly server: ProtectedServer;
  readonly home: string;
  readonly place: ConfiguredPlace;
  /** Has the browser of this place say yes, or no. */
  readonly browser: (verb?: "consent" | "refuse") => string;
  /** What the browser was shown at the end. */
  readonly shown: () => string;
  /** Runs a command with `--json` and gives its exit code and its answer. */
  run(...argv: string[]): Promise<{ exit: number; answer: Readonly<Record<string, unknown>>; err: string }>;
  /** The same with a browser there. */
  runWithBrowser(verb: "consent" | "refuse", ...argv: string[]): ReturnType<OAuthPlace["run"]>;
  /** Runs a command that shows a code, and enters it on the other device. */
  signInByDevice(...argv: string[]): Promise<ShellAnswer>;
  /** Has the server name another authorization server from now on. */
  move(authority: AuthorizationServer): void;
  /** Makes the token that is kept look as if it expired after this time. */
  age(leftMs: number): Promise<void>;
  /** Names of the sign-ins that are kept. */
  kept(): Promise<readonly string[]>;
}

export async function openOAuthPlace(
  options: AuthorizationServerOptions & { readonly settings?: (authority: AuthorizationServer) => object } = {},
): Promise<OAuthPlace> {
  const authority = await startAuthorizationServer(options);
  let named = authority;
  const server = await startProtectedServer({
    get issuer() {
      return named.issuer;
    },
    find: (token) => named.find(token),
  });
  const said: string[] = [];
  const place = { ...(await placeWith({ one: { url: server.url, ...options.settings?.(authority) } })), said };
  const journal = join(place.folder, "browser.txt");
  writeFileSync(journal, "");
  const browser = (verb = "consent") => `${process.execPath} ${visit} ${journal} ${verb} %s`;

  async function runIn(env: NodeJS.ProcessEnv, argv: readonly string[]) {
    const { exit, out, err } = await runHere({ ...place, env }, [...argv, "--json"]);
    return { exit, answer: JSON.parse(out || "{}") as Readonly<Record<string, unknown>>, err };
  }

  return {
    authority,
    server,
    place,
    home: place.home,
    browser,
    shown: () => readFileSync(journal, "utf8"),
    run: (...argv) => runIn(place.env, argv),
    async runWithBrowser(verb, ...argv) {
      writeFileSync(journal, "");
      const ran = await runIn({ ...place.env, BROWSER: browser(verb) }, argv);
      // It has a life of its own, and writes into the folder that goes away with this place.
      await until(() => readFileSync(journal, "utf8") !== "", "the browser was shown a page");
      return ran;
    },
    async signInByDevice(...argv) {
      let err = "";
      const signingIn = runHere(place, argv, { stderr: { write: (text) => (err += text) } });
      await until(() => err.includes("enter the code"));
      const [, address = "", code = ""] = /open (\S+)\n.*code: (\S+)/.exec(err) ?? [];
      await createVisitor().confirmDevice(`${address}?user_code=${code}`);
      const answer = await signingIn;
      said.push(err);
      return { ...answer, err };
    },
    move(next) {
      named = next;
    },
    async age(leftMs) {
      const file = openCredentialStore(storeOptions(place.home, place.env)).open("one", new URL(server.url));
      await file.change((now) => {
        if (now?.tokens === undefined) throw new Error("nobody is signed in");
        const receivedAt = Date.now() - 3_600_000;
        return { ...now, tokens: { ...now.tokens, receivedAt, expiresAt: Date.now() + leftMs } };
      });
    },
    kept: async () =>
      (await readdir(join(place.home, "tokens")).catch(() => [])).filter((name) => name.endsWith(".json")),
    async [Symbol.asyncDispose]() {
      // What the browser saw is the browser's.
      const { [journal]: _, ...written } = await filesUnder(place.folder);
      const leaks = findSecrets({ ...written, "what was printed": said.join("\n") }, [...authority.secrets]);
      await place[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await authority[Symbol.asyncDispose]();
      if (leaks.length > 0) throw new Error(`A secret got out:\n${leaks.join("\n")}`);
    },
  };
}
