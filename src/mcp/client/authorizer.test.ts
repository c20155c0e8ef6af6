import { Agent, createServer, type IncomingHttpHeaders } from "node:http";
import { expect, test } from "vitest";
import { listenHere } from "../../../tests/support/listen-here.ts";
import { readText } from "../../core/http/send-http.ts";
import { type Authorizer, sendAuthorized } from "./authorizer.ts";

/** Lets in whoever shows `good`, counts who comes, and keeps what they brought. */
async function startGate(status = 401) {
  const seen: IncomingHttpHeaders[] = [];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    request.setEncoding("utf8").on("data", (text: string) => bodies.push(text));
    request.on("end", () => {
      const isGood = request.headers.authorization === "good";
      response.writeHead(isGood ? 200 : status, { "www-authenticate": "Bearer", "x-note": String(seen.length) });
      response.end(isGood ? "in" : "out");
    });
  });
  const listening = await listenHere(server);
  const agent = new Agent({ keepAlive: true });
  return {
    seen,
    bodies,
    call: {
      url: new URL(listening.origin),
      method: "POST",
      headers: { "x-own": "1" },
      body: "work",
      agent,
    } as const,
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await listening[Symbol.asyncDispose]();
    },
  };
}

function authorizer(tokens: string[], refused: (status: number) => boolean | Promise<boolean>): Authorizer {
  return {
    request: () => ({
      headers: () => Promise.resolve({ authorization: tokens.shift() ?? "none" }),
      refused: ({ status }) => Promise.resolve(refused(status)),
    }),
  };
}

test("a refused request is sent again as it was, with what the authorizer has by then", async () => {
  await using gate = await startGate();
  const response = await sendAuthorized(
    gate.call,
    authorizer(["old", "good"], () => true),
  );
  expect(response.statusCode).toBe(200);
  expect(await readText(response, 100)).toBe("in");
  expect(gate.seen.map((headers) => [headers.authorization, headers["x-own"]])).toEqual([
    ["old", "1"],
    ["good", "1"],
  ]);
  expect(gate.bodies).toEqual(["work", "work"]);
});

test.each([401, 403])("a refusal with %i that the authorizer has no answer to is handed on whole", async (status) => {
  await using gate = await startGate(status);
  const told: number[] = [];
  const response = await sendAuthorized(
    gate.call,
    authorizer([], (given) => told.push(given) === 0),
  );
  expect(response.statusCode).toBe(status);
  expect(await readText(response, 100)).toBe("out");
  expect(told).toEqual([status]);
});

test("a server that refuses everything is not tried forever, whatever the authorizer says", async () => {
  await using gate = await startGate();
  const response = await sendAuthorized(
    gate.call,
    authorizer([], () => true),
  );
  expect(response.statusCode).toBe(401);
  response.resume();
  expect(gate.seen).toHaveLength(7);
});

test("what the authorizer throws is what the request fails with", async () => {
  await using gate = await startGate();
  const failing = authorizer([], () => Promise.reject(new Error("sign in first")));
  await expect(sendAuthorized(gate.call, failing)).rejects.toThrow("sign in first");
  expect(gate.seen).toHaveLength(1);
});
