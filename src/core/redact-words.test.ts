import { expect, test } from "vitest";
import { redactWords } from "./redact-words.ts";

test.each([
  [["npx", "srv", "--api-key", "hunter2", "--token", "-abc", "x"], "npx srv --api-key [redacted] --token [redacted] x"],
  [["srv", "-password", "hunter2"], "srv -password [redacted]"],
  [["srv", "--token", "12345"], "srv --token [redacted]"],
  [["srv", "--api-key=hunter2"], "srv --api-key=[redacted]"],
  [["npx", "mcp-remote", "--header", "X-Api-Key: hunter2 and"], "npx mcp-remote --header X-Api-Key: [redacted]"],
])("%j is shown without its secrets", (words, shown) => {
  expect(redactWords(words)).toBe(shown);
});

test.each([
  "srv --no-token --verbose on",
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
])("%j is shown as it is", (line) => {
  expect(redactWords(line.split(" "))).toBe(line);
});
