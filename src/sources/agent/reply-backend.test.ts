import { expect, test } from "vitest";
import { type BackendCandidate, chooseBackend, type ReplyBackend } from "./reply-backend.ts";
import { quietOptions } from "./reply-backend.contract.ts";

function agent(text: string, closed: string[] = []): ReplyBackend {
  return {
    name: "commands",
    getReply: async () => ({ payloads: [{ text }] }),
    [Symbol.asyncDispose]: async () => void closed.push(text),
  };
}

async function ask(backend: ReplyBackend): Promise<string | undefined> {
  const { payloads } = await backend.getReply({ message: "x", sessionKey: "k", attachments: [] }, quietOptions());
  return payloads[0]?.text;
}

test("an agent that starts later is found, and stays chosen while it is away", async () => {
  let isThere = false;
  let opened = 0;
  const closed: string[] = [];
  const gateway: BackendCandidate = {
    name: "gateway",
    isThere: async () => isThere,
    async open() {
      opened++;
      return agent("gateway", closed);
    },
  };
  const backend = chooseBackend([gateway], agent("fallback", closed));
  expect(await ask(backend)).toBe("fallback");
  isThere = true;
  expect(await Promise.all([ask(backend), ask(backend)])).toEqual(["gateway", "gateway"]);
  isThere = false;
  expect(await ask(backend)).toBe("gateway");
  expect(opened).toBe(1);
  await backend[Symbol.asyncDispose]();
  expect(closed).toEqual(["gateway", "fallback"]);
});

test("an agent that can't be opened fails the order, and is tried again with the next one", async () => {
  let isBroken = true;
  const gateway: BackendCandidate = {
    name: "gateway",
    isThere: async () => true,
    async open() {
      if (isBroken) throw new Error("wrong address");
      return agent("gateway");
    },
  };
  const backend = chooseBackend([gateway], agent("fallback"));
  await expect(ask(backend)).rejects.toThrow("wrong address");
  isBroken = false;
  expect(await ask(backend)).toBe("gateway");
});
