import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isFault } from "../../../core/fault.ts";
import { type ProxyEnv, readProxyEnv, requireSafeTarget, requireTokensOfOnePlace } from "./proxy-settings.ts";

const [url, session, token] = ["SERVER_URL", "SESSION_ID", "OPENCLAW_TOKEN"].map((name) => `OPENCLAW_PROXY_${name}`);
type Values = Readonly<Record<string, string>>;

const settingsOf = (own: Values, inFile: Values): ProxyEnv => ({
  env: { ...inFile, ...own },
  own,
  inFile,
  file: "/folder/.env",
});

function isSafe(own: Values, inFile: Values, given: { address?: string; session?: string } = {}): boolean {
  try {
    requireSafeTarget(settingsOf(own, inFile), { address: given.address, session: given.session });
    return true;
  } catch (error) {
    if (!isFault(error, "untrusted")) throw error;
    return false;
  }
}

const there = "https://there.example";

test("the owner's token goes to no address and no session of the file", () => {
  const own = { [token!]: "owner" };
  expect(isSafe(own, { [url!]: there })).toBe(false);
  expect(isSafe(own, { [session!]: "s" })).toBe(false);
  expect(isSafe({ ...own, [url!]: there }, { [session!]: "s" })).toBe(false);
  expect(isSafe(own, { [url!]: there, [token!]: "folder" })).toBe(false);
});

test("what the owner names counts, whatever the file says", () => {
  const own = { [token!]: "owner" };
  expect(isSafe(own, { [url!]: there, [session!]: "s" }, { address: there, session: "s" })).toBe(true);
  expect(isSafe({ ...own, [url!]: there, [session!]: "s" }, { [url!]: there, [session!]: "s" })).toBe(true);
  expect(isSafe(own, {})).toBe(true);
});

test("the file's token goes to the file's address or the default, and nowhere else", () => {
  const inFile = { [token!]: "folder" };
  expect(isSafe({}, inFile)).toBe(true);
  expect(isSafe({}, { ...inFile, [url!]: there, [session!]: "s" })).toBe(true);
  expect(isSafe({}, inFile, { address: "http://127.0.0.1:8000/" })).toBe(true);
  expect(isSafe({}, { ...inFile, [url!]: there }, { address: `${there}/` })).toBe(true);
  expect(isSafe({}, inFile, { address: there })).toBe(false);
  expect(isSafe({ [url!]: there }, inFile)).toBe(false);
});

test("without a token nothing is at stake", () => {
  expect(isSafe({}, { [url!]: there, [session!]: "s" })).toBe(true);
  expect(isSafe({ [token!]: "" }, { [url!]: there, [token!]: "folder" })).toBe(true);
});

test("the proxy takes all its tokens from one place, and the fault names both", () => {
  const [app, operator] = ["OPENCLAW_PROXY_APP_TOKEN", "OPENCLAW_PROXY_OPERATOR_TOKEN"];
  const both = { [app]: "a", [token!]: "t" };
  for (const [own, inFile] of [
    [both, {}],
    [{}, both],
    [both, both],
    [{ ...both, [operator]: "" }, { [operator]: "o" }],
  ] as const)
    expect(() => requireTokensOfOnePlace(settingsOf(own, inFile))).not.toThrow();
  expect(() => requireTokensOfOnePlace(settingsOf(both, { [operator]: "known" }))).toThrow(
    `${operator} comes from /folder/.env, but ${app} comes from your environment.`,
  );
});

test("neither NATS nor a login for it is taken from the file if the other, or a token, is the owner's", () => {
  const name = (end: string) => `OPENCLAW_PROXY_${end}`;
  const mixes = [
    ["APP_TOKEN", "NATS_URL"],
    ["NATS_CREDENTIALS", "NATS_URL"],
    ["NATS_URL", "NATS_CA"],
  ] as const;
  for (const [own, inFile] of mixes)
    expect(() => requireTokensOfOnePlace(settingsOf({ [name(own)]: "own" }, { [name(inFile)]: "there" }))).toThrow(
      `${name(inFile)} comes from /folder/.env, but ${name(own)} comes from your environment.`,
    );
});

test("only the proxy's own variables are read from the file, below the environment", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "clawport-"));
  await writeFile(join(folder.path, ".env"), `PATH=/evil\n${url}=${there}\n${session}=file\n`);
  const read = await readProxyEnv({ env: { [session!]: "own" }, cwd: folder.path });
  expect(read.env).toEqual({ [url!]: there, [session!]: "own" });
  expect(await readProxyEnv({ env: {}, cwd: join(folder.path, "none") })).toMatchObject({ env: {}, inFile: {} });
});
