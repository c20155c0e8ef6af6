import { expect, test } from "vitest";
import { maskConfig } from "./config-text.ts";

test.each([
  ['{ servers: { a: { apiKey: "secret" } } }', '{ servers: { a: { apiKey: "[redacted]" } } }'],
  ["{ servers: { a: { apiKey: '$KEY' } } }", "{ servers: { a: { apiKey: '$KEY' } } }"],
  ['{ headers: { "X-Team": "blue" } }', '{ headers: { "X-Team": "[redacted]" } }'],
  ['{ headers: { Authorization: "Bearer ${KEY}" } }', '{ headers: { Authorization: "Bearer ${KEY}" } }'],
  ['{ env: { A: "b", C: "$C", D: "" } }', '{ env: { A: "[redacted]", C: "$C", D: "" } }'],
  ['{ env: { A: "${B:-secret}", C: "x$D" } }', '{ env: { A: "[redacted]", C: "[redacted]" } }'],
  ['{ url: "https://a.example/mcp?k=1&b=$B" }', '{ url: "https://a.example/mcp?k=[redacted]&b=$B" }'],
  [
    '{ env: { MEMORY_FILE_PATH: "/home/me/memory.json", DATA_DIR: "https://me:pw@a.example/" } }',
    '{ env: { MEMORY_FILE_PATH: "/home/me/memory.json", DATA_DIR: "https://[redacted]@a.example/" } }',
  ],
  [
    '{ url: "https://a.example/mcp?transport=sse&key=abc" }',
    '{ url: "https://a.example/mcp?transport=sse&key=[redacted]" }',
  ],
  ['{ url: "https://me:pw@a.example/" }', '{ url: "https://[redacted]@a.example/" }'],
  [
    '{ args: ["--token", "abc", "--port=1", "--api-key=$K"] }',
    '{ args: ["--token", "[redacted]", "--port=1", "--api-key=$K"] }',
  ],
  ['{ args: ["--api-key=abc"] }', '{ args: ["[redacted]"] }'],
  [
    '{ clientSecret: 12345, maxTokens: 5, tls: { key: "a.pem" } }',
    '{ clientSecret: "[redacted]", maxTokens: 5, tls: { key: "a.pem" } }',
  ],
  ['{ password: { value: "x" } }', '{ password: { value: "[redacted]" } }'],
  [
    '// see https://a.example/: apiKey: "old"\n{ hub: { port: 1 }, } /* token=abc */',
    '// see https://a.example/: apiKey: "[redacted]"\n{ hub: { port: 1 }, } /* token=[redacted] */',
  ],
  ['{ a: "// apiKey: b", }', '{ a: "// apiKey: b", }'],
])("%s is shown as %s", (text, shown) => {
  expect(maskConfig(text)).toBe(shown);
});

test.each(["{ servers: ", '{ apiKey: "one", apiKey: "two" }', ""])(
  "what can't be read with certainty is not shown: %j",
  (text) => {
    expect(maskConfig(text)).toBeUndefined();
  },
);
