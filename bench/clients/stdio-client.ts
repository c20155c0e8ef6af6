import type { Child } from "../child.ts";
import { checkAnswer, helloParams } from "./client.ts";
import type { Client } from "./client.ts";

interface Waiting {
  resolve(answer: Buffer): void;
  reject(reason: Error): void;
}

export async function openStdioClient(child: Child): Promise<Client> {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;

  onLines(child, (line) => {
    const id = idOf(line);
    waiting.get(id)?.resolve(line);
    waiting.delete(id);
  });
  void child.exited.then((how) => {
    for (const { reject } of waiting.values()) reject(new Error(`the target ended: ${how}`));
    return waiting.clear();
  });

  const client: Client = {
    async request(method, params) {
      const id = ++lastId;
      const answer = new Promise<Buffer>((resolve, reject) => waiting.set(id, { resolve, reject }));
      child.stdin.write(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}\n`);
      return checkAnswer(await answer);
    },
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
  await client.request("initialize", helloParams);
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return client;
}

function onLines(child: Child, take: (line: Buffer) => void): void {
  let parts: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      parts.push(chunk.subarray(start, end));
      take(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
      parts = [];
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  });
}

/** The id stands near one of the ends, whatever order the server writes its keys in. */
function idOf(line: Buffer): number {
  const found = idPattern.exec(line.toString("latin1", 0, 60)) ?? idPattern.exec(line.subarray(-60).toString("latin1"));
  return Number(found?.[1]);
}

const idPattern = /"id":(\d+)/;
