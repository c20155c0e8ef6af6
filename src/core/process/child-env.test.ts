import { expect, test } from "vitest";
import { childEnv } from "./child-env.ts";

test("a server gets what a program needs to run, and none of our keys", () => {
  const harmless = { PATH: "/bin", HOME: "/home/a", LANG: "C", TMPDIR: "/t", https_proxy: "http://p", Path: "C:\\" };
  const ours = {
    OPENAI_API_KEY: "sk-1",
    GITHUB_TOKEN: "t",
    CLAWPORT_HOME: "/h",
    CLAWPORT_OWNER: "1_2_3",
    NODE_OPTIONS: "--require /evil.js",
    LD_PRELOAD: "/evil.so",
    SSH_AUTH_SOCK: "/s",
    PATHS: "x",
    constructor: "x",
  };
  expect(childEnv({ ...harmless, ...ours, USER: undefined })).toEqual(harmless);
});

test("a shell function in the place of a harmless value is dropped", () => {
  expect(childEnv({ TERM: "() { :; }; echo owned", LANG: "C" })).toEqual({ LANG: "C" });
});
