import { expect, test } from "vitest";
import { childEnv } from "./child-env.ts";

test("a server gets what a program needs to run, and none of our keys", () => {
  const harmless = { PATH: "/bin", HOME: "/home/a", LANG: "C", TMPDIR: "/t", https_proxy: "http://p", Path: "C:\\" };
  const ofNpm = { npm_config_globalconfig: "/usr/etc/npmrc" };
  const ours = {
    OPENAI_API_KEY: "sk-1",
    GITHUB_TOKEN: "t",
    CLAWPORT_HOME: "/h",
    CLAWPORT_OWNER: "1_2_3",
    NODE_OPTIONS: "--require /evil.js",
    LD_PRELOAD: "/evil.so",
    SSH_AUTH_SOCK: "/s",
    PATHS: "x",
    npm_config__authToken: "t",
    constructor: "x",
  };
  expect(childEnv({ ...harmless, ...ofNpm, ...ours, USER: undefined })).toEqual({ ...harmless, ...ofNpm });
});

test("a shell function in the place of a harmless value is dropped", () => {
  expect(childEnv({ TERM: "() { :; }; echo owned", LANG: "C" })).toEqual({ LANG: "C" });
});

test.each([
  ["http://user:pass@proxy.example:8080", "http://proxy.example:8080"],
  ["user:pass@proxy.example:8080", "proxy.example:8080"],
  ["http://user:p@ss/w@proxy.example:8080/", "http://proxy.example:8080/"],
  ["http://proxy.example:8080", "http://proxy.example:8080"],
])("of the proxy %s a server learns the address, not the password", (proxy, address) => {
  expect(childEnv({ HTTPS_PROXY: proxy, http_proxy: proxy })).toEqual({ HTTPS_PROXY: address, http_proxy: address });
});
