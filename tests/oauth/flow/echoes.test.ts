import { expect, test } from "vitest";
import { type Log, silentLog } from "../../../src/core/log.ts";
import { begin, openAuth, signIn, visit } from "../fixtures/open-auth.ts";
import { type Seen, startRogueIssuer } from "../fixtures/rogue-issuer.ts";

const settings = { clientId: "by-hand", clientSecret: "the secret: +%&" };

type Telling = (request: Seen) => Record<string, unknown>;

const inReason: Telling = ({ params, authorization }) => ({
  error: "invalid_grant",
  error_description: `no good: ${params.toString()} ${authorization ?? ""}`,
});

/** How an authorization server may say what it did not like. */
const tellings: readonly (readonly [string, Telling])[] = [
  ["in its reason", inReason],
  [
    "in part",
    ({ params }) => ({
      error: "invalid_grant",
      error_description: `unknown: ${[...params.values()].map((value) => value.slice(0, 20)).join("… ")}…`,
    }),
  ],
  [
    "as the error",
    ({ params, authorization }) => ({ error: `${authorization ?? ""} ${[...params.values()].join(" ")}` }),
  ],
];

function keepLines(): { readonly lines: string[]; readonly log: Log } {
  const lines: string[] = [];
  const keep = (message: string, fields?: object) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { ...silentLog, debug: keep, info: keep, warn: keep, error: keep, with: () => log };
  return { lines, log };
}

async function faultOf(work: Promise<unknown>): Promise<string> {
  const fault = await work.then(
    () => undefined,
    (error: Error & { detail?: unknown }) => error,
  );
  return `${fault?.message} ${JSON.stringify(fault?.detail)} ${String(fault?.stack)} ${String(fault?.cause)}`;
}

/** The beginning of each is telling enough. */
function expectUntold(text: string, secrets: readonly (string | null | undefined)[]): void {
  for (const secret of secrets) {
    expect(secret).toBeTruthy();
    expect(text).not.toContain(secret?.slice(0, 8));
  }
}

test.each(tellings)("a code and its verifier that are repeated %s are told to nobody", async (_, telling) => {
  await using rogue = await startRogueIssuer({ refuseWith: telling });
  const { lines, log } = keepLines();
  const { auth } = openAuth(rogue.url, { log, settings });
  const answer = await visit((await begin(auth)).url);
  const told = await faultOf(auth.finish(answer));
  const sent = rogue.seen.find(({ path }) => path === "/token");
  const basic = sent?.authorization?.replace("Basic ", "");
  expect(told).toContain("refused");
  expectUntold(`${told} ${lines.join("\n")}`, [answer.get("code"), sent?.params.get("code_verifier"), basic]);
});

test.each(tellings)("a refresh token that is repeated %s is told to nobody", async (_, telling) => {
  await using rogue = await startRogueIssuer();
  const { lines, log } = keepLines();
  let at = Date.now();
  const { auth, file } = openAuth(rogue.url, { log, now: () => at });
  await signIn(auth);
  // All of them begin alike here, which says nothing.
  const token = file.kept()?.tokens?.refreshToken?.replace("refresh-", "");
  rogue.settings.refuseWith = telling;
  at += 3_600_000;
  expect(await auth.request("POST", rogue.url).headers()).toEqual({});
  expect(lines.join("\n")).toContain("refused to renew the token");
  expectUntold(lines.join("\n"), [token]);
});

test("the secret of a client that is repeated is told to nobody, whichever way it went", async () => {
  await using rogue = await startRogueIssuer({ refuseWith: inReason });
  for (const method of ["client_secret_basic", "client_secret_post"]) {
    rogue.settings.metadata = (document) => ({ ...document, token_endpoint_auth_methods_supported: [method] });
    const { auth } = openAuth(rogue.url, { settings: { ...settings, grant: "client-credentials" } });
    const signal = new AbortController().signal;
    const told = await faultOf(auth.begin({ redirectUri: "http://127.0.0.1:9/callback", signal }));
    const sent = rogue.seen.findLast(({ path }) => path === "/token");
    expect(told).toContain("invalid_grant");
    const basic = sent?.authorization?.replace("Basic ", "");
    expect(basic === undefined).toBe(method === "client_secret_post");
    expectUntold(told, [settings.clientSecret, ...(basic === undefined ? [] : [basic])]);
  }
});

test("what is repeated to somebody who wants a code for another device is told to nobody", async () => {
  await using rogue = await startRogueIssuer();
  rogue.settings.device = () => ({ error: `not with ${settings.clientSecret}` });
  const { auth } = openAuth(rogue.url, { settings });
  const told = await faultOf(auth.beginDevice({ signal: new AbortController().signal }));
  expect(told).toContain("did not issue a device code");
  expectUntold(told, [settings.clientSecret]);
});

test("a reason that repeats nothing is told", async () => {
  await using rogue = await startRogueIssuer();
  rogue.settings.refuseWith = () => ({ error: "invalid_grant", error_description: "The code is too old." });
  const { auth } = openAuth(rogue.url, { settings });
  const answer = await visit((await begin(auth)).url);
  await expect(auth.finish(answer)).rejects.toMatchObject({
    message: expect.stringContaining('"invalid_grant", "The code is too old."'),
    detail: { error: "invalid_grant" },
  });
});
