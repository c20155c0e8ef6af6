import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { until } from "../support/until.ts";
import { halfBody, postHead, sendHalf } from "./half-requests.ts";
import { openDoor } from "./open-door.ts";

test("a body that comes too slowly gets 408 with a reason, and its connection is closed", async () => {
  await using door = await openDoor({ bodyTimeoutMs: 100 });
  using half = await sendHalf(door.port, halfBody("/mcp", "phone"), 3);
  await until(() => half.closed === 3);
  for (const answer of half.answers) {
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toMatch(/^connection: close\r$/im);
    expect(answer).toMatch(/^retry-after: 1\r$/im);
    expect(answer).toContain("The request did not arrive within 1 s. Send at least 64 KB a second.");
  }
});

test("a body that keeps coming may take longer", async () => {
  await using door = await openDoor({ bodyTimeoutMs: 1000, maxBodyBytes: 64 * 1024 * 1024 });
  const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const pad = " ".repeat(2 * 1024 * 1024);
  using half = await sendHalf(door.port, postHead("/mcp", "phone", message.length + 8 * pad.length), 1);
  for (let piece = 0; piece < 8; piece++) {
    half.sockets[0]!.write(pad);
    await sleep(150);
  }
  half.sockets[0]!.write(message);
  await until(() => half.answers[0] !== "");
  expect(half.answers[0]).toMatch(/^HTTP\/1\.1 200 /);
});

test("a head that comes too slowly gets 408, and its connection is closed", async () => {
  await using door = await openDoor({ headersTimeoutMs: 100 });
  using half = await sendHalf(door.port, "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nx-pad:", 3);
  using silent = await sendHalf(door.port, "", 3);
  await until(() => half.closed + silent.closed === 6);
  expect(half.answers.map((answer) => answer.split(" ")[1])).toEqual(["408", "408", "408"]);
});

test("bodies that are arriving take a bounded share of the memory, and those of others still fit", async () => {
  const mega = 1024 * 1024;
  await using door = await openDoor({ maxBodyBytes: 4 * mega, maxArrivingBytes: 32 * mega });
  const begun = `${postHead("/mcp", "phone", 4 * mega)}${" ".repeat(3 * mega)}`;
  using half = await sendHalf(door.port, begun, 8);
  await until(() => half.closed === 3);
  const refused = half.answers.filter((answer) => answer !== "");
  expect(refused.map((answer) => answer.split(" ")[1])).toEqual(["503", "503", "503"]);
  expect(refused[0]).toContain("Requests of this caller that are still arriving take up too much memory.");
  const large = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }) + " ".repeat(3 * mega);
  using friend = await sendHalf(door.port, postHead("/mcp", "laptop", large.length) + large, 1);
  await until(() => friend.answers[0] !== "");
  expect(friend.answers[0]).toMatch(/^HTTP\/1\.1 200 /);
});

test("connections that never send a request make room for callers, and one token has at most its half of them", async () => {
  await using door = await openDoor({ maxConnections: 64 });
  using silent = await sendHalf(door.port, "", 100);
  await until(() => silent.closed >= 36);
  using half = await sendHalf(door.port, halfBody("/mcp", "phone"), 50);
  await until(() => half.closed === 20);
  expect(half.answers.filter((answer) => answer.includes("This token has too many connections open."))).toHaveLength(
    20,
  );
  expect(await door.call("main", "quick__echo")).toBe("200 ok");
  expect(await door.call("laptop", "echo")).toBe("200 ok");
});
