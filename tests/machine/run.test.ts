import { execFileSync } from "node:child_process";
import { chmod, mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { until } from "../support/until.ts";
import { isWindows } from "../support/cli/run-clawport.ts";
import { startNode, type StartedNode, type StartNodeOptions } from "./start-node.ts";

const real = (program: string): string => realpathSync(execFileSync("which", [program], { encoding: "utf8" }).trim());
const everything = { version: 1, defaults: { security: "full", ask: "off" } };
const allowing = (...allowlist: object[]) => ({ version: 1, agents: { main: { allowlist } } });

interface Ran {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly success: boolean;
  readonly timedOut: boolean;
  readonly truncated: boolean;
}

async function run(node: StartedNode, command: readonly string[], more: object = {}): Promise<Ran> {
  const { structuredContent, content } = await node.call("system.run", { command, ...more });
  if (structuredContent === undefined) throw new Error(JSON.stringify(content));
  return structuredContent as Ran;
}

describe.skipIf(isWindows)("system.run", () => {
  test("runs words, not a shell, and returns what the command wrote", async () => {
    await using node = await startNode({ approvals: everything });
    const ran = await run(node, ["printf", "%s|", "a b", "$HOME", "; id", "$(id)"]);
    expect(ran).toMatchObject({
      exitCode: 0,
      success: true,
      stdout: "a b|$HOME|; id|$(id)|",
      stderr: "",
      timedOut: false,
    });
    const failed = await run(node, ["sh", "-c", "echo no >&2; exit 7"]);
    expect(failed).toMatchObject({ exitCode: 7, success: false, stderr: "no\n" });
    expect(await node.text("system.run", { command: ["no-such-program"] })).toContain("COMMAND_NOT_FOUND");
    expect(await node.text("system.run", { command: ["pwd"], cwd: "/no/such" })).toContain("CWD_NOT_FOUND");
    expect(await node.text("system.run", { command: ["pwd"], cwd: "relative" })).toContain("INVALID_REQUEST");
    expect(await node.text("system.run", { command: [""] })).toContain("INVALID_REQUEST");
    expect(await node.text("system.run", { command: ["echo", "a\0b"] })).toContain("INVALID_REQUEST");
    expect(await node.text("system.run", { command: ["echo", "a"], rawCommand: "echo b" })).toContain(
      "INVALID_REQUEST",
    );
    expect((await run(node, ["echo", "a b"], { rawCommand: 'echo "a b"' })).stdout).toBe("a b\n");
  });

  test("keeps at most 200,000 bytes of the output, and its beginning", async () => {
    await using node = await startNode({ approvals: everything });
    const ran = await run(node, ["sh", "-c", "echo first; head -c 3000000 /dev/zero | tr '\\0' x"]);
    expect(ran.truncated).toBe(true);
    expect(ran.stdout.length + ran.stderr.length).toBe(200_000);
    expect(ran.stdout.startsWith("first\n")).toBe(true);
  });

  test("nothing that a command starts outlives it, however it hides", async () => {
    await using node = await startNode({ approvals: everything });
    const hiding = "setsid sleep 98761 & (setsid env -i setsid sleep 98762 &) ; sleep 98763 & ";
    await run(node, ["sh", "-c", `${hiding} echo started`]);
    const late = await run(node, ["sh", "-c", `trap '' TERM; ${hiding} sleep 98764`], { timeoutMs: 300 });
    expect(late).toMatchObject({ timedOut: true, success: false, exitCode: null });
    await until(() => !/sleep 9876\d/.test(execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })));
  });

  test("a call that is cancelled ends its command", async () => {
    await using node = await startNode({ approvals: everything });
    const stop = new AbortController();
    const headers = { "content-type": "application/json", authorization: `Bearer ${node.token}` };
    const params = { name: "system.run", arguments: { command: ["sleep", "98765"] } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const call = fetch(node.url, { method: "POST", headers, body, signal: stop.signal });
    const running = (): boolean => execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).includes("sleep 98765");
    await until(running);
    stop.abort();
    await expect(call).rejects.toMatchObject({ name: "AbortError" });
    await until(() => !running());
  });

  test("without approvals on this computer, a command needs approval, and no one means no", async () => {
    await using node = await startNode();
    const text = await node.text("system.run", { command: ["id"] });
    expect(text).toContain("system.run needs approval, but no one is available to approve it");
    expect(text).not.toMatch(/clawport|approve \d/);
    expect(node.logged.join()).toContain("clawport approve 1");
    const prepared = await node.call("system.run.prepare", { command: ["id"] });
    expect(prepared.structuredContent).toMatchObject({
      decision: "prompt",
      execPolicy: { security: "allowlist", ask: "on-miss" },
      plan: { argv: ["id"], commandText: "id" },
    });
  });

  test("an answer lasts for the same command in the same folder only", async () => {
    await using node = await startNode({ attended: true });
    node.answer("always");
    expect((await run(node, ["echo", "one"])).stdout).toBe("one\n");
    expect(node.questions[0]?.text).toContain(`Program: ${real("echo")}`);
    expect((await run(node, ["echo", "one"])).stdout).toBe("one\n");
    expect(node.questions).toHaveLength(1);
    expect(await node.text("system.run", { command: ["echo", "two"] })).toContain("no one answered");
    expect(await node.text("system.run", { command: ["echo", "one"], cwd: "/" })).toContain("no one answered");
    const file = JSON.parse(await readFile(node.home.file("machine", "exec-approvals.json"), "utf8"));
    expect(file.agents.main.allowlist).toMatchObject([{ pattern: real("echo"), source: "allow-always" }]);

    node.answer("never");
    expect(await node.text("system.run", { command: ["echo", "three"] })).toContain("the answer was no");
    expect(await node.text("system.run", { command: ["echo", "three"] })).toContain(
      "the user does not allow this command",
    );
    expect(node.questions).toHaveLength(4);
  });

  test("a shell or an interpreter can be approved once, never for good", async () => {
    await using node = await startNode({ attended: true });
    node.answer("once");
    expect((await run(node, ["sh", "-c", "echo hi"])).stdout).toBe("hi\n");
    expect(node.questions[0]?.choices).toEqual(["once"]);
  });

  test("a refused command can be approved for the next time, for the very same files only", async () => {
    await using node = await startNode();
    const tool = node.home.file("tool");
    await writeFile(tool, "#!/bin/sh\necho one\n", { mode: 0o755 });
    const { approvals } = node.node.engine;
    const refused = async (): Promise<string> => {
      expect(await node.text("system.run", { command: [tool] })).toContain("needs approval");
      return (await approvals.list()).waiting.at(-1)!.id;
    };
    await approvals.answer(await refused(), "once");
    expect((await run(node, [tool])).stdout).toBe("one\n");
    await approvals.answer(await refused(), "once");
    await writeFile(tool, "#!/bin/sh\necho two\n");
    await refused();
  });

  test("a command that takes long reports progress", async () => {
    await using node = await startNode({ approvals: everything });
    const params = { name: "system.run", arguments: { command: ["sleep", "1.3"] }, _meta: { progressToken: "p" } };
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const response = await node.post(body, { accept: "application/json, text/event-stream" });
    const text = await response.text();
    expect(text).toMatch(/"method":"notifications\/progress".*"progressToken":"p"/);
    expect(text).toContain('"exitCode":0');
  });

  test("a node that stops ends the commands that still run", async () => {
    const node = await startNode({ approvals: everything });
    const call = node
      .text("system.run", { command: ["sh", "-c", "trap '' TERM; sleep 98766"], timeoutMs: 60_000 })
      .catch(() => "cut off");
    const running = (): boolean => execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).includes("sleep 98766");
    await until(running);
    await node[Symbol.asyncDispose]();
    expect(running()).toBe(false);
    await call;
  });

  test("an entry for a path allows its program with any arguments, but no shell and no launcher", async () => {
    const approvals = allowing({ pattern: real("echo") }, { pattern: real("sh") }, { pattern: real("env") });
    await using node = await startNode({ approvals });
    expect((await run(node, ["echo", "any", "thing"])).stdout).toBe("any thing\n");
    for (const command of [
      ["sh", "-c", "id"],
      ["env", "id"],
      ["/bin/sh", "-c", "id"],
    ])
      expect(await node.text("system.run", { command })).toContain("needs approval");
  });

  test("variables that decide what code runs are refused, and others are not covered by the allowlist", async () => {
    await using node = await startNode({ attended: true, approvals: allowing({ pattern: real("printenv") }) });
    const names = [
      "PATH",
      "LD_PRELOAD",
      "ld_preload",
      "NODE_OPTIONS",
      "PYTHONPATH",
      "BASH_ENV",
      "GIT_SSH_COMMAND",
      "DYLD_INSERT_LIBRARIES",
      "BASH_FUNC_x",
      "CLAWPORT_OWNER",
    ];
    for (const name of names)
      expect(await node.text("system.run", { command: ["printenv"], env: { [name]: "x" } })).toContain(
        "INVALID_REQUEST",
      );
    for (const env of [{ "A=B": "x" }, { X: "() { :; }; id" }, { X: "a\0b" }])
      expect(await node.text("system.run", { command: ["printenv"], env })).toContain("INVALID_REQUEST");
    // A shell or an interpreter takes code from variables of any name.
    for (const program of ["sh", "env"])
      expect(await node.text("system.run", { command: [program], env: { X: "1" } })).toContain("INVALID_REQUEST");
    expect(node.questions).toEqual([]);
    expect(await node.text("system.run", { command: ["printenv", "X"], env: { X: "1" } })).toContain("needs approval");
    expect(node.questions).toHaveLength(1);
    expect((await run(node, ["printenv", "LANG"], { env: { LANG: "C" } })).stdout).toBe("C\n");
  });

  test("a command gets none of the node's own variables", async () => {
    await using node = await startNode({
      approvals: everything,
      env: { MY_SECRET_TOKEN: "s3cret", NODE_OPTIONS: "--no-warnings" },
    });
    const { stdout } = await run(node, ["env"]);
    expect(stdout).not.toMatch(/s3cret|NODE_OPTIONS/);
  });

  test("a program that is swapped while the user decides does not run", async () => {
    await using node = await startNode({ attended: true });
    const folder = node.home.file("bin");
    await mkdir(folder);
    const [good, bad, link] = ["good", "bad", "link"].map((name) => join(folder, name)) as [string, string, string];
    await writeFile(good, "#!/bin/sh\necho good\n");
    await writeFile(bad, `#!/bin/sh\necho bad >${folder}/ran\n`);
    await Promise.all([good, bad].map((file) => chmod(file, 0o755)));
    await symlink(good, link);
    const swapped = whileAsked(node, async () => {
      await rm(link);
      await symlink(bad, link);
    });
    expect(await node.text("system.run", { command: [link] })).toContain("SYSTEM_RUN_DENIED");
    expect(await swapped).toBe(true);
    const replaced = whileAsked(node, () => rename(bad, good));
    expect(await node.text("system.run", { command: [good] })).toContain(
      "the program has changed since it was approved",
    );
    expect(await replaced).toBe(true);
    await expect(readFile(join(folder, "ran"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("a script that changes while the user decides does not run, nor does a folder that is swapped", async () => {
    await using node = await startNode({ attended: true });
    const folder = node.home.file("work");
    await mkdir(join(folder, "a"), { recursive: true });
    await mkdir(join(folder, "b"));
    const script = join(folder, "x.sh");
    await writeFile(script, "echo good");
    void whileAsked(node, () => writeFile(script, `echo bad >${folder}/ran`));
    expect(await node.text("system.run", { command: ["sh", script] })).toContain(
      "a file that the command runs has changed",
    );
    await symlink(join(folder, "a"), join(folder, "here"));
    void whileAsked(node, async () => {
      await rm(join(folder, "here"));
      await symlink(join(folder, "b"), join(folder, "here"));
    });
    expect(await node.text("system.run", { command: ["pwd"], cwd: join(folder, "here") })).toContain(
      "the folder has changed",
    );
    await expect(readFile(join(folder, "ran"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("approvals that are tightened while the user decides count", async () => {
    await using node = await startNode({ attended: true });
    const path = node.home.file("machine", "exec-approvals.json");
    const tightened = whileAsked(node, async () => {
      await mkdir(node.home.file("machine"), { recursive: true });
      await writeFile(path, JSON.stringify({ version: 1, defaults: { security: "deny" } }), { mode: 0o600 });
    });
    expect(await node.text("system.run", { command: ["touch", node.home.file("ran")] })).toContain("SYSTEM_RUN_DENIED");
    expect(await tightened).toBe(true);
    await expect(readFile(node.home.file("ran"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("of the approvals, the consent and the policy, the strictest counts", async () => {
    const denying = { policy: { rules: [{ tool: "system.run", verdict: "deny" }] } };
    const settings: [StartNodeOptions, string, number][] = [
      [{ config: denying }, "was denied", 0],
      [{ machine: { consent: { system: "off" } } }, "switched off on this computer", 0],
      [{ machine: { consent: { "system.run": "ask" } } }, "no one answered", 1],
      [{ approvals: { version: 1, defaults: { security: "deny" } } }, "allow no commands", 0],
    ];
    for (const [setting, text, questions] of settings) {
      await using node = await startNode({ attended: true, approvals: everything, ...setting });
      expect(await node.text("system.run", { command: ["id"] })).toContain(text);
      expect(node.questions).toHaveLength(questions);
    }
  });

  test("what is allowed by its real path is not allowed by a link to something else", async () => {
    await using node = await startNode({ approvals: allowing({ pattern: "~/tools/*" }) });
    const tools = node.home.file("tools");
    await mkdir(tools);
    await symlink(real("id"), join(tools, "harmless"));
    expect(await node.text("system.run", { command: [join(tools, "harmless")] })).toContain("needs approval");
    expect(await node.text("system.run", { command: [join(tools, "..", "tools", "harmless")] })).toContain(
      "needs approval",
    );
  });

  test("fields by which a gateway approves a command mean nothing from an MCP client", async () => {
    await using node = await startNode();
    for (const more of [{ approved: true }, { agentId: "other" }, { approvalDecision: "allow-always" }])
      expect(await node.text("system.run", { command: ["id"], ...more })).toContain("Wrong arguments");
  });

  test("approvals that others could have written allow nothing", async () => {
    await using node = await startNode({ approvals: everything });
    const path = node.home.file("machine", "exec-approvals.json");
    const denied = "the exec approvals of this computer allow no commands";
    await chmod(path, 0o666);
    expect(await node.text("system.run", { command: ["id"] })).toContain(denied);
    await chmod(path, 0o600);
    await rename(path, `${path}.elsewhere`);
    await symlink(`${path}.elsewhere`, path);
    expect(await node.text("system.run", { command: ["id"] })).toContain(denied);
    await rm(path);
    await writeFile(path, "{ nonsense", { mode: 0o600 });
    expect(await node.text("system.run", { command: ["id"] })).toContain(denied);
  });
});

/** Runs `work` when the user is asked, then lets the user say yes. True if that happened. */
async function whileAsked(node: StartedNode, work: () => Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    node.onQuestion(async () => {
      await work();
      resolve(true);
      return "once";
    });
  });
}
