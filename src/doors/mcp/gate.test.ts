import { expect, test } from "vitest";
import { type CallerFacts, type GateRules, judgeCaller } from "./gate.ts";

const token = "t".repeat(43);
const rules: GateRules = {
  matchToken: (presented) => (presented === token ? { name: "main" } : undefined),
  maxBodyBytes: 100,
};

/** In the order of the gate: what makes a check fail, and the status it then answers. */
const checks: readonly { status: number; pass: Change; fail: readonly Change[] }[] = [
  {
    status: 403,
    pass: {},
    fail: [{ peer: "192.168.1.5" }, { peer: "::ffff:10.0.0.1" }, { peer: undefined }, { peer: "fe80::1" }],
  },
  {
    status: 403,
    pass: { "sec-fetch-mode": "cors" },
    fail: [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: "" },
      { origin: "http://127.0.0.1:8765" },
      { referer: "http://localhost/" },
      { "sec-fetch-site": "none" },
      { "sec-fetch-dest": "empty" },
      { "sec-fetch-user": "?1" },
    ],
  },
  { status: 505, pass: { httpVersion: "1.0" }, fail: [{ httpVersion: "2.0" }, { httpVersion: "0.9" }] },
  { status: 400, pass: {}, fail: [{ HOST: "127.0.0.1:8765", Host: "evil.test" }] },
  {
    status: 403,
    pass: { host: "localhost" },
    fail: [{ host: "evil.test:8765" }, { host: undefined }, { host: "127.0.0.1, evil.test" }],
  },
  {
    status: 415,
    pass: { "content-type": "application/json; charset=utf-8" },
    fail: [{ "content-type": "text/plain" }, { "content-type": undefined }, { "content-encoding": "gzip" }],
  },
  {
    status: 401,
    pass: { authorization: `bearer ${token}` },
    fail: [{ authorization: undefined }, { authorization: `Bearer ${token}x` }, { authorization: token }],
  },
  { status: 405, pass: {}, fail: [{ method: "PUT" }, { method: "DELETE" }, { method: "OPTIONS" }] },
  {
    status: 413,
    pass: { "content-length": "100" },
    fail: [{ "content-length": "101" }, { "content-length": "9".repeat(30) }],
  },
];

type Change = { readonly [name: string]: string | undefined };

test("with every combination of failing checks, the first one in order gives the answer", () => {
  const wrong: unknown[] = [];
  let combinations = 0;
  for (const states of product(checks.map(({ pass, fail }) => [pass, ...fail]))) {
    const method = states.some((state) => state["method"])
      ? states.find((state) => state["method"])?.["method"]
      : "POST";
    const failing = checks.findIndex((check, index) => {
      const failed = check.fail.includes(states[index] ?? {});
      return check.status === 415 ? failed && method === "POST" : failed;
    });
    const verdict = judgeCaller(factsOf(...states), rules);
    const expected = checks[failing]?.status ?? "pass";
    if ((verdict.pass ? "pass" : verdict.status) !== expected) wrong.push({ states, expected, verdict });
    combinations++;
  }
  expect(wrong).toEqual([]);
  expect(combinations).toBe(5 * 9 * 3 * 2 * 4 * 4 * 4 * 4 * 3);
});

test("a valid call passes with the name of its token", () => {
  expect(judgeCaller(factsOf(), rules)).toEqual({ pass: true, token: { name: "main" } });
  const named = { name: "laptop", view: "files" };
  expect(judgeCaller(factsOf(), { ...rules, matchToken: () => named })).toEqual({ pass: true, token: named });
});

test.for(["127.0.0.1", "127.8.9.10", "127.255.255.255", "::1", "::ffff:127.0.0.1", "::ffff:127.1.2.3"])(
  "the peer %s is on this machine",
  (peer) => {
    expect(judgeCaller(factsOf({ peer }), rules)).toMatchObject({ pass: true });
  },
);

test.for([
  "128.0.0.1",
  "127.0.0.1.evil",
  "1.127.0.0.1",
  "::ffff:128.0.0.1",
  "::2",
  "::ffff:7f00:1",
  "",
  "127.0.0",
  "localhost",
])("the peer %j is not on this machine", (peer) => {
  expect(judgeCaller(factsOf({ peer }), rules)).toMatchObject({ status: 403 });
});

test.for(["127.0.0.1", "127.0.0.1:8765", "localhost", "localhost:1", "[::1]", "[::1]:65535"])(
  "the host %s is this machine",
  (host) => {
    expect(judgeCaller(factsOf({ host }), rules)).toMatchObject({ pass: true });
  },
);

test.for([
  ..."evil.test|localhost.evil.test|localhost.|127.0.0.1.|127.0.0.2|127.1|0.0.0.0|2130706433|0x7f.1|::1|[::1|[::ffff:127.0.0.1]".split(
    "|",
  ),
  ..."localhost:|localhost:x|localhost:123456|localhost:80:80|user@localhost|localhost/|localhost#|127.0.0.1\\|127.0.0.1 ".split(
    "|",
  ),
  ..." localhost|localhost\n|localhost,localhost|127.0.0.1,evil.test||LOCALHOST.EVIL".split("|"),
])("the host %j is not this machine", (host) => {
  expect(judgeCaller(factsOf({ host }), rules)).toMatchObject({ status: 403 });
});

test.for([["host,localhost,Host,localhost"], ["Host,localhost,accept,*/*,HOST,evil.test"]])(
  "a Host header that came twice (%s) is refused, even if the first is good",
  ([sent = ""]) => {
    expect(judgeCaller({ ...factsOf(), rawHeaders: sent.split(",") }, rules)).toMatchObject({ status: 400 });
  },
);

test("repeated headers that arrive as lists are refused", () => {
  for (const name of ["host", "origin", "content-type", "authorization"]) {
    const headers = { ...factsOf().headers, [name]: ["localhost", "localhost"] };
    expect(judgeCaller({ ...factsOf(), headers }, { ...rules, allowedOrigins: ["localhost"] })).toMatchObject({
      pass: false,
    });
  }
});

test.for([
  "application/json",
  "Application/JSON",
  "application/json;charset=utf-8",
  "application/json ; charset=utf-8",
])("the content type %s is accepted", (type) => {
  expect(judgeCaller(factsOf({ "content-type": type }), rules)).toMatchObject({ pass: true });
});

test.for(
  "text/plain|text/plain;application/json|application/jsonp|application/json-seq|application/x-www-form-urlencoded|multipart/form-data; boundary=x|application/json, text/plain|text/plain, application/json|application/json; a=b, text/plain|application/json x| application/json|json".split(
    "|",
  ),
)("the content type %s is refused", (type) => {
  expect(judgeCaller(factsOf({ "content-type": type }), rules)).toMatchObject({ status: 415 });
});

test("GET needs no content type, DELETE a session id", () => {
  expect(judgeCaller(factsOf({ method: "GET", "content-type": undefined }), rules)).toMatchObject({ pass: true });
  const ending = factsOf({ method: "DELETE", "content-type": undefined, "mcp-session-id": "s" });
  expect(judgeCaller(ending, rules)).toMatchObject({ pass: true });
  expect(judgeCaller(factsOf({ method: "DELETE" }), rules)).toMatchObject({ status: 405, allow: "GET, POST" });
  expect(judgeCaller(factsOf({ method: "PATCH" }), rules)).toMatchObject({ status: 405, allow: "GET, POST, DELETE" });
});

test.for([
  `Bearer`,
  `Bearer `,
  `Basic ${token}`,
  `Bearer ${token} `,
  `Bearer ${token}, Bearer ${token}`,
  `Bearer ${"x".repeat(5000)}`,
])("the authorization %s is refused", (authorization) => {
  expect(judgeCaller(factsOf({ authorization }), rules)).toMatchObject({ status: 401, token: "wrong" });
});

test("a missing token is told apart from a wrong one", () => {
  const missing = judgeCaller(factsOf({ authorization: undefined }), rules);
  const wrong = judgeCaller(factsOf({ authorization: "Bearer guessed" }), rules);
  expect(missing).toMatchObject({ status: 401, token: "missing", reason: expect.stringMatching(/^Send the header/) });
  expect(wrong).toMatchObject({ status: 401, token: "wrong", reason: expect.stringContaining("not valid") });
});

test("an allowed origin may call, with all headers that its browser adds; others may not", () => {
  const open: GateRules = { ...rules, allowedOrigins: ["https://app.example"] };
  const page = { referer: "https://app.example/", "sec-fetch-site": "cross-site", "sec-fetch-dest": "empty" };
  expect(judgeCaller(factsOf({ origin: "https://app.example", ...page }), open)).toMatchObject({ pass: true });
  for (const origin of ["https://app.example.evil.test", "http://app.example", "https://app.example:444", "null", ""]) {
    expect(judgeCaller(factsOf({ origin, ...page }), open)).toMatchObject({ status: 403 });
  }
  expect(judgeCaller(factsOf(page), open)).toMatchObject({ status: 403 });
});

test("an allowed host matches any port unless it names one", () => {
  const open: GateRules = { ...rules, allowedHosts: ["hub.lan", "box.lan:8765"] };
  for (const host of ["hub.lan", "hub.lan:1234", "box.lan:8765", "localhost"]) {
    expect(judgeCaller(factsOf({ host }), open)).toMatchObject({ pass: true });
  }
  for (const host of ["box.lan", "box.lan:1", "evil.test", "hub.lan.evil.test"]) {
    expect(judgeCaller(factsOf({ host }), open)).toMatchObject({ status: 403 });
  }
});

test("a door that listens beyond this machine accepts peers from anywhere, and still needs host and token", () => {
  const remote: GateRules = { ...rules, remote: true, allowedHosts: ["hub.lan"] };
  const far = { peer: "192.168.1.5", host: "hub.lan:8765" };
  expect(judgeCaller(factsOf(far), remote)).toMatchObject({ pass: true });
  expect(judgeCaller(factsOf({ ...far, host: "evil.test" }), remote)).toMatchObject({ status: 403 });
  expect(judgeCaller(factsOf({ ...far, authorization: undefined }), remote)).toMatchObject({ status: 401 });
});

test("without tokens every caller that passes the other checks is accepted", () => {
  const open: GateRules = { maxBodyBytes: 100 };
  expect(judgeCaller(factsOf({ authorization: undefined }), open)).toEqual({ pass: true, token: { name: "anyone" } });
  expect(judgeCaller(factsOf({ host: "evil.test" }), open)).toMatchObject({ status: 403 });
});

function factsOf(...changes: readonly Change[]): CallerFacts {
  const { peer, method, httpVersion, ...sent }: Record<string, string | undefined> = Object.assign(
    {
      peer: "127.0.0.1",
      method: "POST",
      httpVersion: "1.1",
      host: "127.0.0.1:8765",
      "content-type": "application/json",
      authorization: `Bearer ${token}`,
    },
    ...changes,
  );
  const rawHeaders = Object.entries(sent).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
  // As Node has it: a repeated Host is not among the headers.
  const { HOST: _first, Host: _second, ...headers } = sent;
  return { peer, method: method ?? "", headers, rawHeaders, httpVersion: httpVersion ?? "" };
}

function product<T>(lists: readonly (readonly T[])[]): T[][] {
  return lists.reduce<T[][]>((rows, list) => rows.flatMap((row) => list.map((item) => [...row, item])), [[]]);
}
