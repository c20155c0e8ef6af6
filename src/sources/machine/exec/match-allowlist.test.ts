import { describe, expect, test } from "vitest";
import { hashCommandArguments, matchAllowlist, matchesPath } from "./match-allowlist.ts";

const linux = { homedir: "/home/me", platform: "linux" };

describe("a pattern of a path", () => {
  test.each([
    ["/usr/bin/git", "/usr/bin/git", true],
    ["/usr/bin/git", "/usr/bin/git2", false],
    ["/usr/bin/*", "/usr/bin/git", true],
    ["/usr/bin/*", "/usr/bin/sub/git", false],
    ["/usr/**/git", "/usr/git", true],
    ["/usr/**/git", "/usr/local/bin/git", true],
    ["**/git", "/opt/a/git", true],
    ["/usr/b**/git", "/usr/bin/local/git", false],
    ["/usr/bin/g?t", "/usr/bin/git", true],
    ["~/bin/*", "/home/me/bin/tool", true],
    ["~/bin/*", "/home/you/bin/tool", false],
    ["git", "/usr/bin/git", false],
    ["*", "/usr/bin/git", false],
    ["bin/git", "/usr/bin/git", false],
    ["", "/usr/bin/git", false],
    ["/usr/bin/GIT", "/usr/bin/git", false],
    [`/${"*".repeat(500)}x`, `/${"a".repeat(500)}`, false],
    [`${"/**".repeat(300)}/x`, "/a".repeat(300), false],
  ])("%s and %s: %s", (pattern, path, matches) => {
    expect(matchesPath(pattern, path, linux)).toBe(matches);
  });

  test("ignores case only where the system does", () => {
    expect(matchesPath("C:\\Tools\\Git.exe", "c:\\tools\\git.exe", { homedir: "C:\\", platform: "win32" })).toBe(true);
    expect(matchesPath("/Usr/Bin/Git", "/usr/bin/git", { ...linux, platform: "darwin" })).toBe(true);
  });
});

describe("an entry", () => {
  const command = (executable: string, ...args: string[]) => ({ executable, args, cwd: "/work" });
  const allows = (entry: object, run: ReturnType<typeof command>): boolean =>
    matchAllowlist([{ pattern: run.executable, ...entry }], run, linux) !== undefined;

  test("with a pattern of arguments allows those only", () => {
    const entry = { argPattern: "^status\0-s\0$" };
    expect(allows(entry, command("/usr/bin/git", "status", "-s"))).toBe(true);
    expect(allows(entry, command("/usr/bin/git", "status"))).toBe(false);
    expect(allows(entry, command("/usr/bin/git", "status\0-s"))).toBe(true);
    expect(allows({ argPattern: "^\0\0$" }, command("/usr/bin/git"))).toBe(true);
    expect(allows({ argPattern: "^\0\0$" }, command("/usr/bin/git", ""))).toBe(false);
    expect(allows({ argPattern: "^status( -s)?$" }, command("/usr/bin/git", "status", "-s"))).toBe(true);
    expect(allows({ argPattern: "(" }, command("/usr/bin/git"))).toBe(false);
  });

  test("with a pattern that would take for ever allows nothing", () => {
    const entry = { argPattern: "^(a+)+$" };
    expect(allows(entry, command("/usr/bin/git", `${"a".repeat(40)}!`))).toBe(false);
  });

  test("that a person's answer made is for the same arguments in the same folder", () => {
    const run = command("/usr/bin/git", "status");
    const entry = { source: "allow-always", argPattern: hashCommandArguments(run, "linux") };
    expect(allows(entry, run)).toBe(true);
    expect(allows(entry, { ...run, cwd: "/other" })).toBe(false);
    expect(allows(entry, command("/usr/bin/git", "push"))).toBe(false);
    expect(allows({ source: "allow-always" }, run)).toBe(false);
    expect(allows({ source: "allow-always", argPattern: "^status$" }, run)).toBe(false);
    expect(allows({ argPattern: "sha256:argv:00" }, run)).toBe(false);
  });

  test("has the hash that OpenClaw writes", () => {
    const run = { executable: "/usr/bin/printf", args: ["hello world", ""], cwd: "/workspace" };
    const hash = "2b4f4aed226aa1fd771c852b8f74e4c162d440aafaf60bfef19746f3b2ee5890";
    expect(hashCommandArguments(run, "linux")).toBe(`sha256:cwd-argv:v1:${hash}`);
  });

  test("for a path alone allows no interpreter, no launcher, and no program of many names", () => {
    const names = ["bash", "python3.11", "node", "perl5.36", "env", "sudo", "xargs", "busybox", "pwsh", "nohup"];
    for (const name of names) expect(allows({}, command(`/usr/bin/${name}`, "x"))).toBe(false);
    expect(allows({}, command("/usr/bin/git", "x"))).toBe(true);
    expect(allows({ argPattern: "^-V$" }, command("/usr/bin/python3.11", "-V"))).toBe(true);
    expect(allows({ argPattern: "^ls$" }, command("/usr/bin/busybox", "ls"))).toBe(false);
  });
});
