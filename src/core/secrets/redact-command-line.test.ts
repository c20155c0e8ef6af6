import { expect, test } from "vitest";
import { redactCommandLine } from "./redact-command-line.ts";

test.each([
  [["npx", "srv", "--api-key", "hunter2", "--token", "-abc", "x"], "npx srv --api-key [redacted] --token [redacted] x"],
  [["srv", "-password", "hunter2"], "srv -password [redacted]"],
  [["srv", "--token", "12345"], "srv --token [redacted]"],
  [["srv", "--api-key=hunter2"], "srv --api-key=[redacted]"],
  [["npx", "mcp-remote", "--header", "X-Api-Key: hunter2 and"], "npx mcp-remote --header X-Api-Key: [redacted]"],
  [["srv", "--header=X-Api-Key: hunter2"], "srv --header=X-Api-Key: [redacted]"],
  [["srv", "--auth.token", "hunter2"], "srv --auth.token [redacted]"],
  [["srv", "--access-key", "hunter2", "--accessKey", "hunter2"], "srv --access-key [redacted] --accessKey [redacted]"],
  [["srv", "--pass", "hunter2", "--db-pass=hunter2"], "srv --pass [redacted] --db-pass=[redacted]"],
  [["srv", "--pat", "hunter2", "--key", "hunter2"], "srv --pat [redacted] --key [redacted]"],
  [["srv", "--token", "${TOKEN:-hunter2}", "--key=${A}b"], "srv --token [redacted] --key=[redacted]"],
  [["srv", "--token", "$TOKEN", "--token=$${TOKEN}"], "srv --token [redacted] --token=[redacted]"],
  [["srv", "--auth", "u:p", "--auth=u:p"], "srv --auth [redacted] --auth=[redacted]"],
  [["node", "server.mjs", "S3cr3tValue123"], "node server.mjs [redacted]"],
  [["srv", "hunter2hunter2", "--site=550e8400-e29b-41d4-a716-446655440000"], "srv [redacted] --site=[redacted]"],
  [["srv", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"], "srv [redacted]"],
  [["srv", "8f14e45fceea167a5a36dedd4bea2543"], "srv [redacted]"],
  [["curl", "-u", "ann:hunter2", "--user=ann:hunter2"], "curl -u ann:[redacted] --user=ann:[redacted]"],
])("%j is shown without its secrets", (words, shown) => {
  expect(redactCommandLine(words)).toBe(shown);
});

test.each([
  "srv --no-token --verbose on",
  "srv -u ann -p 8080 --user ann:${PASSWORD}",
  "docker run -u 1000:1000 image",
  "srv --use-token -v on",
  "srv --max-tokens 4096",
  "srv --token-file tokens.txt",
  "srv token list",
  "srv --token",
  "srv --password-file /run/pw",
  "srv --credentials ./creds.json",
  "srv --credentials /home/ann/creds.json",
  "srv --cookie-jar f",
  "srv --bearer-token-env-var GITHUB_PAT",
  "srv --no-token /data",
  "srv --no-cookies https://a.example",
  "srv --disable-password-manager profile1",
  "srv --max-tokens 4k",
  "srv --max-output-tokens 4k",
  "srv --use-cookies false",
  "srv --token  --verbose",
  "srv --auth none --no-auth x",
  "srv --auth=oauth",
  "srv --bypass x --compat y --monkey z",
  "srv --key /etc/ssl/server.key",
  "srv --api-key ${API_KEY} --key=${KEY}",
  "srv X-Api-Key:${KEY} --header=X-Api-Key:${KEY}",
  "npx -y @modelcontextprotocol/server-filesystem@2025.7.1 /home/ann/Work2/projX9 ./v1/a2b3c4/x",
  "docker run -i ghcr.io/acme/mcp-server:v1.2.3 node22-alpine3 x86_64-unknown-linux-gnu",
  "srv --model gpt-4o-mini-2024-07-18 claude-3-5-sonnet-20241022 --since 2024-06-18 myServerNameHere FileServerHost2",
])("%j is shown as it is", (line) => {
  expect(redactCommandLine(line.split(" "))).toBe(line);
});

test("a reference to the environment is shown with the scheme before it", () => {
  const words = ["srv", "--header", "Authorization: Bearer ${TOKEN}", "--api-key=${API_KEY}"];
  expect(redactCommandLine(words)).toBe(words.join(" "));
});
