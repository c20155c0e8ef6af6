import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { openDoor } from "./open-door.ts";

const authorized = "authorization: Bearer main";

test.for([
  ["GET / HTTP/1.1", "host: 127.0.0.1", "200"],
  ["GET / HTTP/1.0", "host: 127.0.0.1", "200"],
  ["GET / HTTP/1.1", "host: 127.0.0.1\r\nHost: evil.test", "400"],
  ["GET / HTTP/1.1", "host: 127.0.0.1\r\nhost: 127.0.0.1", "400"],
  ["GET / HTTP/1.1", "host: evil.test\r\nhost: 127.0.0.1", "400"],
  ["GET / HTTP/2.0", "host: 127.0.0.1", "505"],
  ["GET http://127.0.0.1/ HTTP/1.1", "host: 127.0.0.1", "200"],
  ["GET http://evil.test/ HTTP/1.1", "host: 127.0.0.1", "404"],
])("%s with %j is answered with %s", async ([line, hosts, status]) => {
  await using door = await openDoor();
  const socket = connect(door.port, "127.0.0.1");
  socket.write(`${line}\r\n${hosts}\r\n${authorized}\r\n\r\n`);
  const [bytes] = await once(socket, "data");
  socket.destroy();
  expect(String(bytes).split(" ")[1]).toBe(status);
});

test("GET / shows a token only what its view has", async () => {
  await using door = await openDoor();
  const shown = async (token: string) => (await (await door.get(token, "/")).text()).split("\n").slice(1, -3);
  expect(await shown("main")).toEqual(["2 tools from 2 sources:", "  quick: 1 tool", "  slow: 1 tool"]);
  expect(await shown("phone")).toEqual(["1 tool from 1 source:", "  slow: 1 tool"]);
});

test("the metrics open to the main token and to tokens made for them, which open nothing else", async () => {
  await using door = await openDoor();
  const statuses = async (path: string) =>
    Promise.all(["main", "prometheus", "guest", "phone"].map(async (token) => (await door.get(token, path)).status));
  expect(await statuses("/metrics")).toEqual([200, 200, 403, 403]);
  expect(await statuses("/")).toEqual([200, 403, 200, 200]);
  expect(await door.call("prometheus", "quick__echo")).toBe("403 This token gives access to /metrics only.");
});

test.for([
  ["Bearer main", "100"],
  ["Bearer wrong", "401"],
])("a caller with %s that waits before it sends its body gets %s", async ([authorization, status]) => {
  await using door = await openDoor();
  const socket = connect(door.port, "127.0.0.1");
  const type = "content-type: application/json\r\ncontent-length: 2";
  socket.write(
    `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${authorization}\r\n${type}\r\nexpect: 100-continue\r\n\r\n`,
  );
  const [bytes] = await once(socket, "data");
  socket.destroy();
  expect(String(bytes).split(" ")[1]).toBe(status);
});
