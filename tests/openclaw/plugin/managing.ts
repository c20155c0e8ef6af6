import { spawn } from "node:child_process";
import { once } from "node:events";
import { get } from "node:http";
import { describe, expect, test } from "vitest";
import { clawport, type Place } from "../../support/cli/run-clawport.ts";
import { createVisitor } from "../../support/oauth/consent.ts";
import {
  authority,
  bench,
  chat,
  command,
  editOwn,
  lookAt,
  mcpHome,
  patiently,
  pidsOf,
  readConfig,
  reloaded,
  secured,
  web,
} from "../bench/plugin-bench.ts";

/** What a person does: commands, edits of the configuration, other programs beside it. */
export function describeManaging(): void {
  describe("/mcp", () => {
    test("answers every command without the model", async () => {
      const before = bench.model.requests.length;
      expect(await command("/mcp servers")).toMatch(
        /MCP Servers \(4 configured\)[\s\S]*web +http[\s\S]*Status: Connected \| Auth: None \| Tools: 1/,
      );
      expect(await chat.say("/mcp")).toContain("MCP Servers");
      expect(await chat.say("/mcp tools web")).toMatch(/web__search +— Searches the web/);
      expect(await chat.say("/mcp tools")).toContain("notes__read");
      expect(await chat.say("/mcp status web")).toMatch(/web[\s\S]*Protocol/);
      expect(await chat.say("/mcp status")).toContain("kept by OpenClaw's gateway");
      expect(await chat.say("/mcp refresh web")).toContain("web");
      expect(await chat.say('/mcp call notes__write {"name":"typed"}')).toContain("wrote typed");
      expect(await chat.say("/mcp help")).toContain("/mcp connect");
      expect(await chat.say("/mcp disconnect web")).toMatch(/disconnected/i);
      expect(await chat.say("/mcp connect web")).toContain("Connected");
      expect(await chat.say("/mcp nonsense")).toContain("no command");
      expect(bench.model.requests).toHaveLength(before);
    });

    test("connect writes the configuration, and the tools are offered without a restart", async () => {
      const text = await chat.say(`/mcp connect ${web.url}?two --name two`);
      expect(text).toContain("two__search");
      await expect
        .poll(async () => (await readConfig())["plugins"].entries["mcp-client"].config.servers.two, patiently)
        .toEqual({ url: `${web.url}?two` });
      await reloaded("mcp.servers.two");
      await expect.poll(() => lookAt(), patiently).toContain("two__search");
      expect(await chat.say("/mcp disconnect two")).toMatch(/disconnected/i);
      expect((await readConfig()).plugins.entries["mcp-client"].config.servers.two).toBeDefined();
    });

    test("auth with a code signs in to an OAuth server", async () => {
      const before = bench.model.requests.length;
      const [address = ""] = /https?:\/\/\S+/.exec(await command("/mcp auth one")) ?? [];
      const left = await createVisitor().consent(address);
      expect(await chat.say(`/mcp auth one --code ${left.href}`)).toMatch(/signed in/i);
      expect(bench.model.requests).toHaveLength(before);
      await expect.poll(() => lookAt(), patiently).toContain("one__read");
      expect(await chat.say("call:one__read {}")).toContain("read with mcp:read");
    });
  });

  describe("signing in from a chat", () => {
    const visit = async (text: string): Promise<void> => {
      const [address = ""] = /https?:\/\/\S+\/auth\?\S+/.exec(text) ?? [];
      await once(get(await createVisitor().consent(address)), "response");
    };
    const posts = () => chat.posted.join("\n");

    test("connect goes on to the sign-in, and posts how it ended", async () => {
      const text = await command(`/mcp connect ${secured.url}?chat --name signed`);
      expect(text).toMatch(/Added signed to [\s\S]*signed requires a sign-in\.\nOpen this address/);
      await visit(text);
      await expect.poll(posts, patiently).toContain("Signed in to signed");
      await reloaded("mcp.servers.signed");
      await expect.poll(() => lookAt(), patiently).toContain("signed__read");
    });

    test("an agent's call that lacks a permission brings the address, and works after it", async () => {
      const call = async (): Promise<string> => {
        const answered = chat.answerNext("allow-once");
        const [text] = await Promise.all([chat.say("call:signed__write {}"), answered]);
        return text;
      };
      const refused = await call();
      expect(refused).toContain("requires more permissions");
      const before = chat.posted.length;
      await visit(refused);
      await expect.poll(() => chat.posted.length, patiently).toBeGreaterThan(before);
      expect(chat.posted.at(-1)).toContain("Signed in to signed. What failed before can be tried again.");
      expect(await call()).toContain("written");
    });

    test("a sign-in that is no longer valid is told in the chat, with the address of a new one", async () => {
      const before = chat.posted.length;
      await authority.revokeAll();
      await command("/mcp refresh signed");
      await expect.poll(() => chat.posted.length, patiently).toBeGreaterThan(before);
      const told = chat.posted.find((text) => text.startsWith("The sign-in to signed is no longer valid.")) ?? "";
      await visit(told);
      await expect.poll(() => chat.posted.at(-1), patiently).toContain("Signed in to signed");
    });
  });

  describe("the configuration", () => {
    test("an edit adds a server without a restart, and the others keep running", async () => {
      const [pid] = pidsOf(await command("/mcp status notes"));
      await editOwn(({ servers }) => {
        servers.more = { ...servers.notes, env: {} };
      });
      await reloaded("mcp.servers.more");
      await expect.poll(() => lookAt(), patiently).toContain("more__read");
      expect(await chat.say('call:more__read {"name":"c"}')).toContain("note c");
      expect(pidsOf(await chat.say("/mcp status notes"))).toEqual([pid]);
    });

    test("an entry of the user's own is left alone", async () => {
      const { mcp } = await readConfig();
      expect(Object.keys(mcp.servers).toSorted()).toEqual(["mail", "more", "notes", "one", "signed", "two", "web"]);
    });
  });

  describe("beside it", () => {
    test("commands of the same state folder use the gateway's servers, and a hub is not started twice", async () => {
      const place: Place = {
        folder: bench.folder,
        home: mcpHome(),
        env: bench.env,
        [Symbol.asyncDispose]: async () => {},
      };
      const listed = await clawport(place, "servers");
      expect(listed.out).toMatch(/notes[\s\S]*Running \(PID/);
      const second = await clawport(place, "up", "--port", "0");
      expect(second.err).toContain("OpenClaw's gateway");
      expect(second.exit).not.toBe(0);
    });

    test("openclaw mcp-server serves order_openclaw", async () => {
      const child = spawn(process.execPath, [bench.program, "mcp-server"], { env: bench.env, stdio: "pipe" });
      const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };
      child.stdin.write(`${JSON.stringify(message)}\n`);
      let out = "";
      for await (const piece of child.stdout) {
        out += String(piece);
        if (out.includes("\n")) break;
      }
      child.kill();
      expect(out).toContain("order_openclaw");
    });
  });
}
