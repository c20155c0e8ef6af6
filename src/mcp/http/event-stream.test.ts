import { describe, expect, test } from "vitest";
import { type Handler, testOffer } from "../../../tests/support/mcp/test-offer.ts";
import { call, openWeb } from "../../../tests/support/mcp/web.ts";
import { until } from "../../../tests/support/until.ts";
import { textResult } from "../messages/tool.ts";
import type { RequestContext } from "../server/offer.ts";

/** A handler that does what it is told to, until it is told to end. */
function led() {
  const contexts = new Map<unknown, RequestContext>();
  const ends = new Map<unknown, () => void>();
  const lead: Handler = ({ name }, context) => {
    contexts.set(name, context);
    return new Promise((resolve) => ends.set(name, () => resolve(textResult(String(name)))));
  };
  const at = (name: string, progress: number) => contexts.get(name)!.progress({ progress });
  return { lead, at, end: (name: string) => ends.get(name)!(), contexts };
}

const start = (id: string) => call(id, "lead", { name: id }, { progressToken: id });

describe("a stream that broke off", () => {
  test("goes on after the last event its client saw, without those of other streams", async () => {
    const { lead, at, end, contexts } = led();
    const offer = testOffer({ tools: { lead } });
    await using web = await openWeb(offer);
    const session = await web.open();
    const standalone = await web.send("GET", session);
    const posts = [web.post(start("a"), session), web.post(start("b"), session)];
    await until(() => contexts.size === 2);
    at("a", 1);
    at("b", 1);
    const [a, b] = await Promise.all(posts);
    expect(await a!.events.next()).toMatchObject({ data: "", retry: 3000 });
    const seen = await a!.events.next();
    expect(seen?.message).toMatchObject({ params: { progressToken: "a", progress: 1 } });
    a!.hangUp();
    at("a", 2);
    at("b", 2);
    offer.change("tools");
    const again = await web.send("GET", { ...session, "last-event-id": seen!.id! });
    expect([again.status, again.type]).toEqual([200, "text/event-stream"]);
    const missed = await again.events.next();
    expect(missed?.message).toMatchObject({ params: { progressToken: "a", progress: 2 } });
    at("a", 3);
    end("a");
    end("b");
    const rest = await again.events.rest();
    expect(rest.map(({ message }) => message?.params?.progress ?? message?.id)).toEqual([3, "a"]);
    expect(new Set([seen!.id, missed!.id, ...rest.map(({ id }) => id)]).size).toBe(4);
    expect((await b!.events.messages()).at(-1)).toMatchObject({ id: "b" });
    await standalone.events.next();
    expect((await standalone.events.next())?.message).toMatchObject({ method: "notifications/tools/list_changed" });
  });

  test("can be read again after its end, from any event", async () => {
    const { lead, at, end, contexts } = led();
    await using web = await openWeb(testOffer({ tools: { lead } }));
    const session = await web.open();
    const post = web.post(start("a"), session);
    await until(() => contexts.size === 1);
    at("a", 1);
    end("a");
    const events = await (await post).events.rest();
    expect(events).toHaveLength(3);
    for (const [index, { id }] of events.entries()) {
      const again = await web.send("GET", { ...session, "last-event-id": id! });
      expect(await again.events.rest()).toEqual(events.slice(index + 1));
    }
  });

  test("of the standalone kind is sent what it missed", async () => {
    const offer = testOffer();
    await using web = await openWeb(offer);
    const session = await web.open();
    const first = await web.send("GET", session);
    const primed = await first.events.next();
    first.hangUp();
    offer.change("prompts");
    const again = await web.send("GET", { ...session, "last-event-id": primed!.id! });
    expect((await again.events.next())?.message).toMatchObject({ method: "notifications/prompts/list_changed" });
    offer.change("tools");
    expect((await again.events.next())?.message).toMatchObject({ method: "notifications/tools/list_changed" });
  });

  test("whose events are gone can't be resumed, and the session stays", async () => {
    const offer = testOffer();
    await using web = await openWeb(offer, { eventStoreBytes: 2000 });
    const session = await web.open();
    const first = await web.send("GET", session);
    const primed = await first.events.next();
    for (let n = 0; n < 10; n++) offer.change("tools");
    for (const lastEventId of [primed!.id!, "nonsense", "zz-1", "1", "-", `${primed!.id}x`]) {
      const reply = await web.send("GET", { ...session, "last-event-id": lastEventId });
      expect(reply.status).toBe(400);
      expect((await reply.json()).error.message).toContain("Open a new stream");
    }
    expect((await web.send("GET", session)).status).toBe(200);
  });

  test("is not another session's to resume", async () => {
    const offer = testOffer();
    await using web = await openWeb(offer);
    const first = await web.send("GET", await web.open());
    const primed = await first.events.next();
    offer.change("tools");
    const reply = await web.send("GET", { ...(await web.open()), "last-event-id": primed!.id! });
    expect(reply.status).toBe(400);
  });
});

describe("a stream that its handler releases", () => {
  test("is closed, and the rest is there when the client comes back", async () => {
    const { lead, at, end, contexts } = led();
    await using web = await openWeb(testOffer({ tools: { lead } }));
    const session = await web.open();
    const post = web.post(start("a"), session);
    await until(() => contexts.size === 1);
    contexts.get("a")!.releaseStream();
    const events = await (await post).events.rest();
    expect(events).toMatchObject([{ data: "", retry: 3000 }, { retry: 1000 }]);
    at("a", 1);
    const again = await web.send("GET", { ...session, "last-event-id": events[0]!.id! });
    expect((await again.events.next())?.message).toMatchObject({ params: { progress: 1 } });
    contexts.get("a")!.releaseStream();
    const none = await again.events.rest();
    expect(none).toEqual([{ retry: 1000, isComment: false }]);
    end("a");
    const last = await web.send("GET", { ...session, "last-event-id": `${events[0]!.id!.split("-")[0]}-2` });
    expect(await last.events.messages()).toMatchObject([{ id: "a", result: { content: [{ text: "a" }] } }]);
  });

  test.each(["2025-06-18", "2025-03-26", "alone", "modern"])(
    "stays open with %s, which has no way back",
    async (kind) => {
      const release: Handler = (_args, context) => {
        context.releaseStream();
        context.progress({ progress: 1 });
        context.releaseStream();
        return textResult("done");
      };
      await using web = await openWeb(testOffer({ tools: { release } }));
      const meta = { progressToken: 1 };
      const reply =
        kind === "modern"
          ? await web.modern(1, "tools/call", { name: "release" }, { meta })
          : await web.post(call(1, "release", {}, meta), kind === "alone" ? {} : await web.open(kind));
      expect((await reply.events.messages()).at(-1)).toMatchObject({ id: 1, result: { content: [{ text: "done" }] } });
    },
  );
});
