import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** Forwards connections to a port until it is frozen: then they stay open, but nothing passes any more. */
export async function openLine(port: number) {
  const sockets: Socket[] = [];
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    sockets.push(near, far);
    near.on("error", () => {}).pipe(far);
    far.on("error", () => {}).pipe(near);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    freeze() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
