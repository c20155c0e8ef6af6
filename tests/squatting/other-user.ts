import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { areSkipsAllowed } from "../setup/skips-allowed.ts";

/** The user "nobody" of most systems: without rights, and not the one who runs the tests. */
export const otherUid = 65_534;

/** Tests that need a second user run as root on Linux, where a process can become another user. */
export function canBeOtherUser(): boolean {
  if (process.platform === "linux" && process.getuid?.() === 0) return true;
  const line = "Tests with a second user need Linux and root.";
  if (!areSkipsAllowed()) throw new Error(line);
  process.stderr.write(`${line}\n`);
  return false;
}

/** A program of another user that listens on a port and keeps everything it is sent. */
export interface Squatter extends AsyncDisposable {
  readonly port: number;
  /** All that arrived. */
  heard(): string;
}

/** Speaks HTTP and, for who upgrades, as much WebSocket as is needed to be sent a first frame. */
export async function startSquatter(port: number): Promise<Squatter> {
  const child = spawn(process.execPath, ["-e", program, String(port)], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  let heard = "";
  const lines = createInterface({ input: child.stdout });
  const ready = await Promise.race([once(lines, "line"), ended.then(() => ["0"])]);
  lines.on("line", (line) => (heard += Buffer.from(line, "base64").toString("latin1")));
  return {
    port: Number(ready[0]),
    heard: () => heard,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Becomes the other user after it has started: that user may not be able to read this Node. */
const program = `
process.setgroups([]); process.setgid(${otherUid}); process.setuid(${otherUid});
const tell = (data) => process.stdout.write(data.toString("base64") + "\\n");
const server = require("node:net").createServer((socket) => {
  socket.on("error", () => {});
  let head = "";
  let upgraded = false;
  socket.on("data", (data) => {
    if (upgraded) {
      // Frames of a client are masked.
      for (let at = 0; at + 6 <= data.length; ) {
        const short = data[at + 1] & 127;
        const start = at + (short === 126 ? 4 : short === 127 ? 10 : 2);
        const size = short === 126 ? data.readUInt16BE(at + 2) : short === 127 ? Number(data.readBigUInt64BE(at + 2)) : short;
        const mask = data.subarray(start, start + 4);
        tell(Buffer.from(data.subarray(start + 4, start + 4 + size).map((byte, index) => byte ^ mask[index % 4])));
        at = start + 4 + size;
      }
      return;
    }
    tell(data);
    head += data.toString("latin1");
    if (!head.includes("\\r\\n\\r\\n")) return;
    const key = /sec-websocket-key: (.+)\\r/i.exec(head)?.[1];
    if (key === undefined) return void socket.end("HTTP/1.1 503 Busy\\r\\ncontent-length: 0\\r\\nconnection: close\\r\\n\\r\\n");
    upgraded = true;
    const accept = require("node:crypto").createHash("sha1").update(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest("base64");
    socket.write("HTTP/1.1 101 Switching Protocols\\r\\nupgrade: websocket\\r\\nconnection: upgrade\\r\\nsec-websocket-accept: " + accept + "\\r\\n\\r\\n");
    const challenge = Buffer.from(JSON.stringify({ type: "event", event: "connect.challenge", payload: { nonce: "n", ts: 1 } }));
    socket.write(Buffer.concat([Buffer.from([0x81, challenge.length]), challenge]));
  });
});
server.listen(Number(process.argv[1]), "127.0.0.1", () => process.stdout.write(server.address().port + "\\n"));
`;
