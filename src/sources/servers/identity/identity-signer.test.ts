import { createPublicKey, verify } from "node:crypto";
import { statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Home, openHome } from "../../../core/files/home.ts";
import { hashArguments, openIdentitySigner } from "./identity-signer.ts";

let home: Home;
beforeEach(async () => {
  home = await openHome(await mkdtemp(join(tmpdir(), "identity-")));
});
afterEach(() => rm(home.path, { recursive: true, force: true }));

const server = {
  name: "corp",
  transport: { kind: "http", url: new URL("https://corp.example/mcp?key=secret"), headers: {}, tls: {} },
} as const;
const caller = {
  door: "plugin",
  agent: "main",
  sender: "telegram:7",
  isOwner: true,
  sessionKey: "agent:main:x",
} as const;

function read(statement: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(statement.split(".")[1] ?? "", "base64url").toString()) as Record<string, unknown>;
}

test("a statement says who asked, is for one server and one call, and its signature fits the published key", () => {
  const signer = openIdentitySigner(home, () => 1_000_000);
  const statement = signer.state(server, { name: "send", arguments: { b: 1, a: 2 } }, caller);
  const [header = "", claims = "", signature = ""] = statement.split(".");
  const { keys } = signer.jwks as { keys: [Record<string, string>] };
  const key = createPublicKey({ key: keys[0], format: "jwk" });
  expect(verify(null, Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, "base64url"))).toBe(true);
  expect(read(statement)).toMatchObject({
    aud: "https://corp.example/mcp",
    iat: 1000,
    exp: 1120,
    sub: "telegram:7",
    agent: "main",
    owner: true,
    tool: "send",
    arguments_sha256: hashArguments({ a: 2, b: 1 }),
  });
  expect(JSON.stringify(read(statement))).not.toContain("agent:main:x");
});

test("no two statements are the same, and the key outlives the process", () => {
  const signer = openIdentitySigner(home);
  const state = () => read(signer.state(server, { name: "send" }, caller))["jti"];
  expect(state()).not.toBe(state());
  expect(openIdentitySigner(home).jwks).toEqual(signer.jwks);
  expect(statSync(home.file("guard", "identity-key.pem")).mode & 0o777).toBe(0o600);
});
