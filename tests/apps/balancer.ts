import { connect, createServer, type Socket } from "node:net";

/** A plain TCP balancer: every connection goes to the next target, whatever it carries. */
export interface Balancer extends AsyncDisposable {
  readonly address: string;
}

export async function startBalancer(targets: readonly URL[]): Promise<Balancer> {
  let next = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const { hostname, port } = targets[next++ % targets.length]!;
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    address: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
