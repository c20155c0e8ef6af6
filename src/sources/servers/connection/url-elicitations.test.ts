import { expect, test } from "vitest";
import { Fault } from "../../../core/fault.ts";
import { RpcFault } from "../../../mcp/messages/json-rpc.ts";
import type { ConnectionListener } from "./connection-state.ts";
import { createUrlElicitations, requiredUrls } from "./url-elicitations.ts";

function open() {
  let listener: ConnectionListener = {};
  const urls = createUrlElicitations({ listen: (given) => ((listener = given), () => (listener = {})) });
  return { urls, complete: (id: string) => listener.onElicitationComplete?.(id) };
}

test("whoever was asked to open a URL learns once that the user is done", () => {
  const { urls, complete } = open();
  const heard: string[] = [];
  urls.note("a", () => heard.push("first"));
  urls.note("a", () => heard.push("second"));
  urls.note("b", () => heard.push("other"));
  complete("unknown");
  complete("a");
  complete("a");
  expect(heard).toEqual(["first", "second"]);
  urls.close();
  complete("b");
  expect(heard).toHaveLength(2);
});

test("a server that never reports an end does not fill the memory", () => {
  const { urls, complete } = open();
  const heard: number[] = [];
  for (let id = 0; id < 1100; id++) urls.note(String(id), () => heard.push(id));
  for (const id of [0, 99, 100, 1099]) complete(String(id));
  expect(heard).toEqual([100, 1099]);
});

test("the URLs that a server requires are read from its error, invalid ones left out", () => {
  const good = { mode: "url", elicitationId: "1", url: "https://example.com", message: "Sign in" };
  const required = (data: unknown, code = -32042) => requiredUrls(new RpcFault({ code, message: "no", data }));
  expect(required({ elicitations: [good, null, { ...good, url: 7 }, { url: "https://a" }] })).toEqual([
    { elicitationId: "1", question: { method: "elicitation/create", params: good } },
  ]);
  for (const data of [undefined, null, {}, { elicitations: [] }, { elicitations: "all" }])
    expect(required(data)).toBeUndefined();
  expect(required({ elicitations: [good] }, -32603)).toBeUndefined();
  expect(requiredUrls(new Fault("timeout", "late"))).toBeUndefined();
});
