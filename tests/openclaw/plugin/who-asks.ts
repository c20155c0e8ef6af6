import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayChat, openChat } from "../bench/gateway-chat.ts";
import { approveCall } from "../../support/approve-call.ts";
import {
  bench,
  chat,
  command,
  lookAt,
  mcpHome,
  notesLog,
  patiently,
  readAudit,
  readConfig,
} from "../bench/plugin-bench.ts";

/** Two senders, of whom OpenClaw calls one the owner, and two agents. */
export function describeWhoAsks(): void {
  describe("who asks", () => {
    let other: GatewayChat;
    beforeAll(async () => {
      other = await openChat(bench.url, bench.token, ["operator.read", "operator.write"]);
    });
    afterAll(() => other?.[Symbol.asyncDispose]());

    const statements = async (): Promise<readonly Record<string, unknown>[]> =>
      (await notesLog("mail.log")).flatMap((line) => {
        const [, claims] = /"clawport\/identity":"[\w-]+\.([\w-]+)\./.exec(line) ?? [];
        return claims === undefined
          ? []
          : [JSON.parse(Buffer.from(claims, "base64url").toString()) as Record<string, unknown>];
      });

    test("a sender who is not the owner may look, and neither change nor call anything", async () => {
      await expect.poll(() => lookAt(), patiently).toContain("mail__write");
      expect(await other.say("/mcp servers")).toContain("MCP Servers");
      const before = await readConfig();
      const changing = [
        "connect http://127.0.0.1:9/mcp --name nine",
        "disconnect mail",
        "auth one",
        "refresh",
        "logs mail",
      ];
      for (const each of [...changing, 'call mail__write {"name":"other"}'])
        expect(await other.say(`/mcp ${each}`)).toMatch(/^Only the owner/);
      expect(await readConfig()).toEqual(before);
      expect((await notesLog("mail.log")).join("\n")).not.toContain("other");
    });

    test("rules and the signed identity know the owner", async () => {
      expect(await other.say('call:mail__read {"name":"other"}')).toContain("denied");
      expect(await chat.say('call:mail__read {"name":"mine"}')).toContain("note mine");
      expect(await command('/mcp call mail__read {"name":"typed"}')).toContain("note typed");
      expect((await statements()).map(({ owner }) => owner)).toEqual([true, true]);
      expect((await notesLog("mail.log")).join("\n")).not.toContain("other");
    });

    test("a call that OpenClaw's prompt can't show whole is not allowed there", async () => {
      const name = `${"x".repeat(600)}hidden`;
      const answered = chat.answerNext("deny");
      expect(await chat.say(`call:mail__write {"name":"${name}"}`, "agent:main:long")).not.toContain("wrote");
      const { allowedDecisions, description } = await answered;
      expect(allowedDecisions).toEqual(["deny"]);
      const [, id = ""] = /`clawport approve (\d+)`/.exec(description) ?? [];
      await approveCall(mcpHome(), id);
      expect(await chat.say(`call:mail__write {"name":"${name}"}`, "agent:main:long")).toContain("hidden");
    });

    test("mcp_manage runs as the agent and sender that use it", async () => {
      const work = (text: string, from = chat): Promise<string> =>
        from.say(`call:mcp_manage ${text}`, "agent:work:manage");
      expect(await work('{"command":"servers"}')).toMatch(/1 configured[\s\S]*web/);
      expect(await work('{"command":"tools"}')).not.toMatch(/mail__|notes__/);
      let answered = chat.answerNext("allow-once");
      expect(await work('{"command":"call mail__write {\\"name\\":\\"wiped\\"}"}')).not.toContain("wrote");
      await answered;
      expect((await notesLog("mail.log")).join("\n")).not.toContain("wiped");
      answered = chat.answerNext("allow-once");
      expect(await work('{"command":"call web__search {\\"query\\":\\"x\\"}"}')).toContain("found x");
      expect(await answered).toMatchObject({
        toolName: "mcp_manage",
        description: expect.stringContaining("web__search"),
      });
      const calls = (await readAudit()).trim().split("\n").slice(-2);
      expect(calls.map((line) => JSON.parse(line) as unknown)).toMatchObject([
        { agent: "work", tool: "web__search", sender: expect.stringMatching(/^webchat:/) },
        { agent: "work", tool: "mcp_manage", sender: expect.stringMatching(/^webchat:/) },
      ]);
      const before = chat.asked.length;
      expect(await work('{"command":"disconnect web"}', other)).toContain("Only the owner");
      expect(chat.asked).toHaveLength(before);
    });
  });
}
