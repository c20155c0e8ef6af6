import { Agent, type AgentOptions } from "node:http";
import { connect, type NetConnectOpts, type Socket } from "node:net";

/** Keeps connections open between requests, and checks something right before it makes one. */
export class CheckedAgent extends Agent {
  readonly #check: () => void;
  readonly #path: string | undefined;

  /** With a path it connects to that socket, whatever address a request names. */
  constructor(check: () => void, path?: string, options: AgentOptions = {}) {
    super({ keepAlive: true, maxSockets: 256, ...options });
    this.#check = check;
    this.#path = path;
  }

  override createConnection(
    options: NetConnectOpts,
    onCreated?: (error: Error | null, socket: Socket) => void,
  ): Socket | undefined {
    try {
      this.#check();
    } catch (error) {
      process.nextTick(() => onCreated?.(error as Error, undefined as unknown as Socket));
      return undefined;
    }
    return connect(this.#path === undefined ? options : { path: this.#path });
  }
}
