import { answer } from "./limit-methods.ts";

let parts: Buffer[] = [];

process.stdin.on("data", (chunk: Buffer) => {
  let start = 0;
  for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
    parts.push(chunk.subarray(start, end));
    const line = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    parts = [];
    start = end + 1;
    const reply = answer(JSON.parse(line.toString()));
    if (reply instanceof Promise) void reply.then(write);
    else write(reply);
  }
  if (start < chunk.length) parts.push(chunk.subarray(start));
});

function write(reply: unknown): void {
  if (reply !== undefined) process.stdout.write(`${JSON.stringify(reply)}\n`);
}
