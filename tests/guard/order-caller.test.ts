import { readFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { type MockModel, startMockModel } from "../support/mock-model.ts";
import { runHere, shelf } from "../support/cli/test-home.ts";
import { testOffer } from "../support/mcp/test-offer.ts";
import { openWeb } from "../support/mcp/web.ts";
import { type TestSource, testSource } from "../support/test-source.ts";
import { approveWaiting, type StartedHub, startHub } from "../support/start-hub.ts";

vi.setConfig({ testTimeout: 30_000 });

const deny = [
  { tool: "files__*", token: "phone", verdict: "deny" },
  { tool: "files__*", door: "mcp-http", verdict: "deny" },
];

interface Opened extends AsyncDisposable {
  readonly hub: StartedHub;
  readonly files: TestSource;
  readonly model: MockModel;
}

async function open(
  backend: "commands" | "model",
  rules: readonly object[] = [],
  servers: object = {},
): Promise<Opened> {
  const model = await startMockModel();
  const files = testSource({ id: "files", prefix: "files", tools: ["write_file"] });
  const agent = { backend, ...(backend === "model" ? { model: { name: "mock-1", url: model.baseUrl } } : {}) };
  const hub = await startHub({ config: { agent, policy: { rules }, servers }, sources: [files] });
  await hub.token("phone", "agent");
  return {
    hub,
    files,
    model,
    async [Symbol.asyncDispose]() {
      await hub[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

const calling = {
  commands: '/call files__write_file {"a":"LAUNDERED"}',
  model: 'call:files__write_file {"a":"LAUNDERED"}',
};

test.each(["commands", "model"] as const)(
  "a token limited to the agent reaches no other tool through an order (%s)",
  async (backend) => {
    for (const rules of [deny, []]) {
      await using opened = await open(backend, rules);
      const { hub, files, model } = opened;
      expect(await hub.order("phone", calling[backend])).toMatch(/no tool|unavailable tool|not found/i);
      expect(files.calls).toEqual([]);
      for (const { tools } of model.requests) expect(tools ?? []).toEqual([]);
    }
  },
);

test.each(["commands", "model"] as const)(
  "rules on door and token hold for what an order does (%s)",
  async (backend) => {
    for (const [token, [byToken, byDoor]] of [
      ["main", [[{ tool: "files__*", token: "main", verdict: "deny" }], [deny[1]!]]],
      ["laptop", [[{ tool: "files__*", token: "laptop", verdict: "deny" }], [deny[1]!]]],
    ] as const) {
      for (const rules of [byToken, byDoor]) {
        await using opened = await open(backend, rules);
        const { hub, files } = opened;
        expect(await hub.order(token, calling[backend])).toContain("files__write_file was denied: policy.rules[0]");
        expect(files.calls).toEqual([]);
        const [line] = await hub.audit("files__write_file");
        expect(line).toMatchObject({ door: "mcp-http", token, agent: "clawport", verdict: "deny" });
      }
    }
  },
);

test("only the owner can change servers, or see their output, in an order", async () => {
  await using opened = await open("commands", [], { other: shelf("other") });
  const { hub } = opened;
  const refused = /only the main token.*this machine/i;
  for (const verb of ["connect other", "disconnect other", "logs other", "refresh", "auth other", "auth --list"]) {
    expect(await hub.order("phone", `/mcp ${verb}`)).toMatch(refused);
    expect(await hub.order("laptop", `/mcp ${verb}`)).toMatch(refused);
  }
  expect(await hub.order("phone", "/mcp auth other --issuer https://evil.example")).toMatch(refused);
  expect(await hub.order("main", "/mcp logs other")).toContain("shelf: open, as other");
  expect(await hub.order("main", "/mcp disconnect other")).toContain("Disconnected other");
  expect(await hub.order("main", "/mcp connect other")).toContain("Running");
  expect(await hub.order("laptop", "/mcp servers")).toContain("other");
  expect(await hub.order("laptop", "/mcp tools")).toContain("other__pid");
  for (const verb of ["servers", "tools", "tools other", "status other"])
    expect(await hub.order("phone", `/mcp ${verb}`)).toBe(
      'Error: This token is limited to the view "agent", without the servers.',
    );
});

test("a token limited to the agent is listed no tools", async () => {
  await using opened = await open("commands");
  expect(await opened.hub.order("phone", "/tools")).toBe("There are no tools yet.");
  expect(await opened.hub.order("laptop", "/tools")).toBe("files__write_file()");
});

test("an order adds a server by its address once a person has approved it, whatever the rules allow", async () => {
  await using web = await openWeb(testOffer());
  await using opened = await open("model", [{ tool: "mcp_connect", verdict: "allow" }]);
  const { hub, model } = opened;
  const words = `/mcp connect http://127.0.0.1:${web.port}/mcp --name web`;
  expect(await hub.order("laptop", words)).toContain("Only the main token may use `/mcp connect`");
  expect(await hub.order("main", words)).toContain("mcp_connect needs approval, but no one is available to approve it");
  const file = hub.home.file("clawport.json5");
  expect(await readFile(file, "utf8")).not.toContain(`${web.port}`);
  await approveWaiting(hub.home);
  expect(await hub.order("main", words)).toContain("Added web");
  expect(await readFile(file, "utf8")).toContain(`http://127.0.0.1:${web.port}/mcp`);
  expect(await hub.order("main", "/mcp tools web")).toContain("web__echo");
  expect(model.requests).toEqual([]);
});

test("a named token has its own conversations", async () => {
  await using opened = await open("model");
  const { hub } = opened;
  const more = { sessionKey: "work" };
  await hub.order("main", "the secret is blue", more);
  expect(await hub.order("phone", "recall", more)).toBe("EARLIER=");
  expect(await hub.order("laptop", "recall", more)).toBe("EARLIER=");
  expect(await hub.order("phone", "recall", more)).toBe("EARLIER=recall");
  expect(await hub.order("main", "recall", more)).toBe("EARLIER=the secret is blue");

  const { path: folder } = hub.home;
  const env = { HOME: folder, CLAWPORT_HOME: folder, OPENCLAW_GATEWAY_PORT: "1" };
  const place = { folder, home: folder, env, [Symbol.asyncDispose]: () => Promise.resolve() };
  const { out } = await runHere(place, ["sessions"]);
  const [, key = ""] = /phone +(work@phone-[0-9a-f]{16})$/m.exec(out) ?? [];
  expect(out).toMatch(/\d {4,}work$/m);
  expect((await runHere(place, ["sessions", "show", key])).out).toContain("assistant: EARLIER=recall");
});
