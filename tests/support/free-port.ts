import { closeSync, openSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

/**
 * A port that stays free until the test uses it, also between two processes that take it in turn. It is below those that
 * systems give to connections and to listeners without a port of their own, and no other test of the run gets it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 20_000);
    if (claim(port) && (await canListen(port))) return port;
  }
}

/** The folder for temporary files is that of the run: its files go with it. */
function claim(port: number): boolean {
  try {
    closeSync(openSync(path.join(tmpdir(), `port-${port}`), "wx"));
    return true;
  } catch {
    return false;
  }
}

function canListen(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
