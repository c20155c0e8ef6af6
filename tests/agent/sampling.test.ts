import { afterEach, beforeEach, expect, test } from "vitest";
import { type MockModel, startMockModel } from "../support/mock-model.ts";
import { startMcpServer, textOf } from "../support/start-mcp-server.ts";
import { program } from "../setup/programs.ts";

let model: MockModel;

beforeEach(async () => {
  model = await startMockModel();
});
afterEach(() => model[Symbol.asyncDispose]());

function start({ backend = "auto", rules = [] as object[], named = true } = {}) {
  const config = {
    servers: { docs: { command: process.execPath, args: [program("tests/agent/sampling-server.ts")] } },
    agent: { backend, ...(named ? { model: { name: "mock-1", url: model.baseUrl } } : {}) },
    policy: { rules },
  };
  return startMcpServer({ config });
}

const allowed = [{ tool: "sampling__docs", verdict: "allow" }];

test("a server may use the model during a call if a rule allows it", async () => {
  await using server = await start({ rules: allowed });
  const result = await server.order({ message: 'call:docs__sum_up {"text":"good morning"}' });
  expect(textOf(result)).toBe('GOT=the model wrote {"type":"text","text":"ECHO:good morning"}');
  expect(model.requests).toHaveLength(3);
  expect(model.requests[1]?.tools ?? []).toEqual([]);
});

test("without a rule the server gets an error that names the permission that is missing", async () => {
  await using server = await start();
  const result = await server.order({ message: 'call:docs__sum_up {"text":"good morning"}' });
  expect(textOf(result)).toMatch(/^GOT=.*no model: .*sampling__docs/s);
});

test("without a model the server gets an error that says so", async () => {
  await using server = await start({ backend: "commands", rules: allowed, named: false });
  const result = await server.order({ message: '/call docs__sum_up {"text":"good morning"}' });
  expect(textOf(result)).toMatch(/no model: .*none is configured.*agent\.model/s);
});
