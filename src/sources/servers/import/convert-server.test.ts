import { expect, test } from "vitest";
import { editorDialect } from "./dialects.ts";
import { readJsonServers } from "./readers.ts";

const around = { folder: "/home/ann/shop", scope: "user", homedir: "/home/ann" } as const;

function convert(servers: object) {
  return readJsonServers(JSON.stringify({ mcpServers: servers }), editorDialect, around);
}

test("a secret is kept as it is, and reported wherever it is", () => {
  const secret = "sk-0123456789abcdefghij";
  const servers = {
    a: { command: "x", args: ["--key", secret], env: { TAVILY_API_KEY: "tvly-1", PLAIN: "yes", KEY: secret } },
    b: { url: `https://b.example/?api_key=${secret}`, headers: { "X-Api-Key": "k", "X-Ref": "${env:REF}" } },
    c: { command: "x", args: ["--api-key", "house-key", "--token", "${env:TOKEN}", "--port", "80"] },
    d: { command: "x", args: ["--token", "", "--password-file", "/run/pw", "--no-cookies", "https://d.example"] },
    e: { command: "x", args: ["--header", "X-Api-Key: hunter2", "--header=X-Api-Key: hunter2", "--pass=hunter2"] },
    f: { command: "x", args: ["--header", "X-Api-Key: ${env:KEY}", "--header=X-Api-Key: ${env:KEY}"] },
  };
  const { taken } = convert(servers);
  expect(taken[0]?.server.env).toEqual(servers.a.env);
  expect(Object.fromEntries(taken.map(({ name, notes }) => [name, notes]))).toEqual({
    a: ["env.TAVILY_API_KEY … $TAVILY_API_KEY", "env.KEY … $KEY", "args[1] … $A_SECRET"].map(aboutSecret),
    b: ["headers.X-Api-Key … $B_X_API_KEY", "url … $B_URL"].map(aboutSecret),
    c: ["args[1] … $C_SECRET"].map(aboutSecret),
    d: [],
    e: ["args[1] … $E_SECRET", "args[2] … $E_SECRET", "args[3] … $E_SECRET"].map(aboutSecret),
    f: [],
  });
});

function aboutSecret(text: string): string {
  return text.replace("…", "holds a secret in plain text; use") + " from the environment instead";
}

test.each([
  [{ url: "https://a.example/", headers: { "X-A": "a\r\nb" } }, "headers.X-A contains a line break"],
  [{ command: "x", env: [] }, "env is not an object"],
  [{ command: "x", args: [{}] }, "args is not a string"],
  [{ url: "https://a.example/", timeout: 1e12 }, "requestTimeoutMs must be at most"],
  ["npx", "is not an object"],
])("%j is left out with the reason", (server, reason) => {
  const { taken, skipped } = convert({ a: server });
  expect(taken).toEqual([]);
  expect(skipped).toEqual([{ name: "a", reason: expect.stringContaining(reason) as string }]);
});
