import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { atTurnEnd, beforeSending, prepareToSend } from "./turn-end.ts";

test("messages of many connections in one turn are all read before any is answered", async () => {
  const happened: string[] = [];
  await using server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const clients: Socket[] = [];
  for (let count = 0; count < 8; count++) {
    const accepted = once(server, "connection");
    const client = connect(port, "127.0.0.1");
    clients.push(client);
    const [[socket]] = (await Promise.all([accepted, once(client, "connect")])) as [[Socket], unknown];
    socket.on("data", () => {
      happened.push("read");
      atTurnEnd(() => {
        happened.push("answered");
        socket.end("done");
      });
    });
  }
  const answers = clients.map(async (client) => String((await once(client, "data"))[0]));
  for (const client of clients) client.write("x");
  expect(await Promise.all(answers)).toEqual(clients.map(() => "done"));
  expect(happened).toEqual([...clients.map(() => "read"), ...clients.map(() => "answered")]);
});

test("messages that come while a turn ends wait for the next", async () => {
  const happened: number[] = [];
  atTurnEnd(() => {
    happened.push(1);
    atTurnEnd(() => happened.push(3));
  });
  atTurnEnd(() => happened.push(2));
  expect(happened).toEqual([]);
  await new Promise(setImmediate);
  expect(happened).toEqual([1, 2]);
  await new Promise(setImmediate);
  expect(happened).toEqual([1, 2, 3]);
});

test("what must be done before an answer leaves comes first, whenever the answer leaves", async () => {
  const happened: string[] = [];
  atTurnEnd(() => happened.push("answer"));
  beforeSending(() => happened.push("record"));
  await new Promise(setImmediate);
  expect(happened).toEqual(["record", "answer"]);
  beforeSending(() => happened.push("second record"));
  prepareToSend();
  happened.push("answer at once");
  await new Promise(setImmediate);
  expect(happened).toEqual(["record", "answer", "second record", "answer at once"]);
});
