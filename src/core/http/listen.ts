import type { AddressInfo, Server } from "node:net";
import { Fault } from "../fault.ts";
import { holderOf } from "./port-holder.ts";

export interface Listening {
  readonly port: number;
  /** `http://127.0.0.1:8765` */
  readonly origin: string;
}

/** Throws `conflict` if the port is in use. */
export function listen(server: Server, host: string, port: number): Promise<Listening> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === "EADDRINUSE";
      const what = taken ? `Port ${port} is in use by ${holderOf(port)}.` : `Could not listen on ${host} port ${port}.`;
      reject(new Fault(taken ? "conflict" : "io", `${what} Choose another with --port.`, { cause, detail: { port } }));
    });
    server.listen(port, host, () => {
      const address = server.address() as AddressInfo;
      resolve({ port: address.port, origin: `http://${bracketedHost(host)}:${address.port}` });
    });
  });
}

/** A host as it is written in a URL: IPv6 in brackets. */
export function bracketedHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
