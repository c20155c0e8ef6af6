import { connect, createServer, type Socket } from "node:net";

/** A plain TCP balancer: every connection goes to the next target, whatever it carries. */
export interface Balancer extends AsyncDisposable {
  readonly address: string;
  /** Breaks this many connections. */
  cut(count: number): void;
}

/** With `checksHealth`, targets whose `/ready` does not answer 200 get no new connections. */
export async function startBalancer(targets: readonly URL[], checksHealth = false): Promise<Balancer> {
  let next = 0;
  const unready = new Set<URL>();
  const checking = checksHealth ? setInterval(() => targets.forEach((target) => void check(target)), 200) : undefined;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    client.on("error", () => {});
    join(client, targets.length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    address: `http://127.0.0.1:${port}`,
    cut(count) {
      for (const socket of [...sockets].slice(0, count)) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      clearInterval(checking);
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };

  /** A target that refuses is left out, as a balancer with health checks does. */
  function join(client: Socket, tries: number): void {
    const target = targets[next++ % targets.length]!;
    if (unready.has(target) && tries > 1) return join(client, tries - 1);
    const { hostname, port } = target;
    const upstream = connect(Number(port), hostname);
    upstream.once("connect", () => {
      upstream.on("close", () => client.destroy());
      client.on("close", () => {
        sockets.delete(client);
        upstream.destroy();
      });
      sockets.add(client);
      client.pipe(upstream).pipe(client);
    });
    upstream.on("error", () => {
      if (!upstream.connecting && upstream.bytesWritten > 0) return;
      if (sockets.has(client) || tries <= 1) client.destroy();
      else join(client, tries - 1);
    });
  }

  async function check(target: URL): Promise<void> {
    const isReady = await fetch(new URL("/ready", target), { signal: AbortSignal.timeout(1000) }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) unready.delete(target);
    else unready.add(target);
  }
}
