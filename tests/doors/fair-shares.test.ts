import { expect, test } from "vitest";
import { until } from "../support/until.ts";
import { halfBody, sendHalf } from "./half-requests.ts";
import { openDoor } from "./open-door.ts";

test("260 half-sent bodies of one token take nothing from the calls of others", async () => {
  await using door = await openDoor();
  using half = await sendHalf(door.port, halfBody("/mcp", "phone"), 260);
  for (let round = 0; round < 5; round++) {
    half.trickle();
    const calls = Array.from({ length: 20 }, () => [door.call("main", "quick__echo"), door.call("laptop", "echo")]);
    expect(new Set(await Promise.all(calls.flat()))).toEqual(new Set(["200 ok"]));
  }
  expect(half.closed).toBe(0);
});

test("300 slow calls of one token fill its half of the slots, and leave the others theirs", async () => {
  await using door = await openDoor();
  const answers: string[] = [];
  const slow = Array.from({ length: 300 }, async () => answers.push(await door.call("phone", "wait")));
  await until(() => door.waiting + answers.length === 300);
  expect(door.waiting).toBe(128);
  const refused = "503 This caller has 128 requests in flight, which is its share. Try again in a second.";
  expect(new Set(answers)).toEqual(new Set([refused]));
  for (const [token, tool] of [
    ["main", "quick__echo"],
    ["laptop", "echo"],
  ] as const) {
    const calls = Array.from({ length: 100 }, () => door.call(token, tool));
    expect(new Set(await Promise.all(calls))).toEqual(new Set(["200 ok"]));
  }
  door.release();
  await Promise.all(slow);
  expect(answers.filter((answer) => answer === "200 ok")).toHaveLength(128);
});

test("slow calls of all other tokens leave a few slots to the main token", async () => {
  await using door = await openDoor({ maxConcurrent: 32 });
  const answers: string[] = [];
  const slow = ["phone", "tablet"].flatMap((token) =>
    Array.from({ length: 30 }, async () => answers.push(await door.call(token, "wait"))),
  );
  await until(() => door.waiting + answers.length === 60);
  expect(door.waiting).toBe(30);
  expect(await door.call("laptop", "echo")).toBe(
    "503 The server has too many requests in flight. Try again in a second.",
  );
  expect(await door.call("main", "quick__echo")).toBe("200 ok");
  door.release();
  await Promise.all(slow);
});

test("300 half-sent heads take nothing from the calls of others", async () => {
  await using door = await openDoor();
  using half = await sendHalf(door.port, "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nx-pad:", 300);
  half.trickle();
  const calls = Array.from({ length: 20 }, () => [door.call("main", "quick__echo"), door.call("laptop", "echo")]);
  expect(new Set(await Promise.all(calls.flat()))).toEqual(new Set(["200 ok"]));
});
