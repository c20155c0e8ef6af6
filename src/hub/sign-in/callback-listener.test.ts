import { request } from "node:http";
import { expect, test } from "vitest";
import { openCallbackListener } from "./callback-listener.ts";

/** Asks with exactly these headers. */
function get(address: string, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const asking = request(address, { headers, agent: false }, (response) => {
      let text = "";
      response.on("data", (chunk) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    asking.on("error", reject);
    asking.end();
  });
}

test("one redirect is taken, answered with how it went, and the listener is gone", async () => {
  const listener = await openCallbackListener();
  const coming = listener.expect("s1");
  const answer = get(`${listener.redirectUri}?code=abc&state=s1`);
  const callback = await coming;
  expect(callback.query.get("code")).toBe("abc");
  callback.show({ ok: true, title: "Signed in to <x>", text: "You can close this tab." });
  const { status, text } = await answer;
  expect(status).toBe(200);
  expect(text).toContain("Signed in to &#60;x&#62;");
  await listener.close();
  await expect(get(`${listener.redirectUri}?code=abc&state=s1`)).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

test("it listens on this machine alone, at the port that was asked for", async () => {
  const first = await openCallbackListener();
  expect(first.redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  const port = Number(new URL(first.redirectUri).port);
  await expect(openCallbackListener({ port })).rejects.toMatchObject({ code: "conflict" });
  await first.close();
  const second = await openCallbackListener({ port, host: "localhost" });
  expect(second.redirectUri).toBe(`http://localhost:${port}/callback`);
  await second.close();
});

test("what does not belong to it is refused, and the right one is still waited for", async () => {
  const listener = await openCallbackListener();
  const coming = listener.expect("s1");
  expect((await get(`${listener.redirectUri}?state=other`)).status).toBe(400);
  expect((await get(`${listener.redirectUri}?code=x&state=s1`, { host: "evil.test" })).status).toBe(403);
  expect((await get(`${listener.redirectUri}?code=x&state=s1`, { origin: "https://evil.test" })).status).toBe(403);
  expect((await get(new URL("/favicon.ico", listener.redirectUri).href)).status).toBe(404);
  const answer = get(`${listener.redirectUri}?code=good&state=s1`);
  (await coming).show({ ok: true, title: "t", text: "t" });
  expect((await answer).status).toBe(200);
  await listener.close();
});

test.each(["code=x&state=other", "code=x", "error=access_denied&state=other", "code=x&state=s1&state=s1"])(
  "%s, which any program here can send, does not end the wait",
  async (query) => {
    const listener = await openCallbackListener();
    const coming = listener.expect("s1");
    for (let count = 0; count < 20; count++) {
      const foreign = await get(`${listener.redirectUri}?${query}`);
      expect(foreign).toMatchObject({ status: 400, text: expect.stringContaining("still waits") as string });
    }
    const answer = get(`${listener.redirectUri}?code=good&state=s1`);
    const callback = await coming;
    expect(callback.query.get("code")).toBe("good");
    callback.show({ ok: true, title: "t", text: "t" });
    expect((await answer).status).toBe(200);
    await listener.close();
  },
);

test("a second redirect is refused while the first one is being answered", async () => {
  const listener = await openCallbackListener();
  const coming = listener.expect("s1");
  const first = get(`${listener.redirectUri}?code=1&state=s1`);
  const callback = await coming;
  // Nobody new gets in, so whatever comes of the second one, it is no page that says yes.
  const second = await get(`${listener.redirectUri}?code=2&state=s1`).catch(
    (error: NodeJS.ErrnoException) => error.code,
  );
  expect(second).not.toMatchObject({ status: 200 });
  callback.show({ ok: true, title: "t", text: "t" });
  expect((await first).status).toBe(200);
  expect(callback.query.get("code")).toBe("1");
  await listener.close();
});

test("one that is closed early tells who waits, and leaves the port", async () => {
  const listener = await openCallbackListener();
  const coming = listener.expect("s1");
  await listener.close();
  await expect(coming).rejects.toMatchObject({ code: "cancelled" });
  const port = Number(new URL(listener.redirectUri).port);
  await (await openCallbackListener({ port })).close();
});

test("several wait side by side and each takes its own", async () => {
  const listeners = await Promise.all([openCallbackListener(), openCallbackListener(), openCallbackListener()]);
  const coming = listeners.map((listener, i) => listener.expect(`s${i}`));
  const asks = listeners.map((listener, i) => get(`${listener.redirectUri}?code=c${i}&state=s${i}`));
  const codes = await Promise.all(
    coming.map(async (each) => {
      const callback = await each;
      callback.show({ ok: true, title: "t", text: "t" });
      return callback.query.get("code");
    }),
  );
  await Promise.all(asks);
  expect(codes).toEqual(["c0", "c1", "c2"]);
  await Promise.all(listeners.map((listener) => listener.close()));
});
