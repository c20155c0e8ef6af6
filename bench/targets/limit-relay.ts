import { spawn } from "node:child_process";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import path from "node:path";
import { announce } from "./announce.ts";

/**
 * A hand-written relay with nothing to spare: HTTP in, stdio or HTTP out, one parse and one write each way. No checks, no
 * sessions, no cancellation. Started with the address of an HTTP server, or without one for the hand-written stdio server.
 */
interface Message {
  id?: number | string;
  method?: string;
}

type Forward = (message: Message, done: (answer: Message) => void) => void;

const [address] = process.argv.slice(2);
const forward = address === undefined ? overStdio() : overHttp(new URL(address));

announce(
  createServer((incoming, response) => {
    readBody(incoming, (body) => {
      const message = JSON.parse(body) as Message;
      if (message.id === undefined) return void response.writeHead(202).end();
      const { id } = message;
      forward(message, (answer) => {
        answer.id = id;
        send(response, answer);
      });
    });
  }),
);

function overStdio(): Forward {
  const file = path.join(import.meta.dirname, `limit-stdio${path.extname(import.meta.filename)}`);
  const child = spawn(process.execPath, [file], { stdio: ["pipe", "pipe", "inherit"] });
  const pending = new Map<number, (answer: Message) => void>();
  let lastId = 0;
  let parts: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      parts.push(chunk.subarray(start, end));
      const line = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
      parts = [];
      start = end + 1;
      const answer = JSON.parse(line.toString()) as Message;
      const done = pending.get(answer.id as number);
      pending.delete(answer.id as number);
      done?.(answer);
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  });
  return (message, done) => {
    message.id = ++lastId;
    pending.set(lastId, done);
    child.stdin.write(`${JSON.stringify(message)}\n`);
  };
}

function overHttp(url: URL): Forward {
  const agent = new Agent({ keepAlive: true });
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  return (message, done) => {
    const body = Buffer.from(JSON.stringify(message));
    const options = { agent, method: "POST", headers: { ...headers, "content-length": body.length } };
    request(url, options, (answer) => readBody(answer, (text) => done(JSON.parse(text) as Message))).end(body);
  };
}

function send(response: ServerResponse, answer: Message): void {
  const body = Buffer.from(JSON.stringify(answer));
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
}

function readBody(message: IncomingMessage, done: (text: string) => void): void {
  const parts: Buffer[] = [];
  message.on("data", (part: Buffer) => parts.push(part));
  message.on("end", () => done((parts.length === 1 ? parts[0]! : Buffer.concat(parts)).toString()));
}
