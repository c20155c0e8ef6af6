import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, WebSocket, WebSocketServer } from "ws";
import { codeOf, isFault } from "../../core/fault.ts";
import type { ConnectionShares } from "../../core/http/connection-shares.ts";
import type { Log } from "../../core/log.ts";
import type { CountEvent } from "../../sources/apps/app-event.ts";
import { maxMessageBytes } from "../../sources/apps/bridge/bridge-limits.ts";
import { type BridgeSocket, closeCodes, type CloseReason } from "../../sources/apps/bridge/bridge-socket.ts";
import { type MemoryBudget, smallPiece } from "../../sources/apps/memory-budget.ts";
import type { RegisteredSession } from "../../sources/apps/session/live-session.ts";
import type { SessionRegistry } from "../../sources/apps/session/session-registry.ts";
import { bridgeProtocol, bridgeTokenOf, judgeAccess, presentedBy } from "./judge-access.ts";

export interface BridgeDoorOptions {
  readonly sessions: SessionRegistry;
  readonly appHash: string | undefined;
  /** Whether the apps that are here are being asked to leave. */
  readonly isDraining: () => boolean;
  readonly connections: ConnectionShares;
  readonly budget: MemoryBudget;
  readonly count: CountEvent;
  readonly log: Log;
}

/** The WebSocket side of apps. */
export interface BridgeDoor {
  readonly size: number;
  /** The caller has already checked the origin and the host of the request. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, id: string): Promise<void>;
  /** Accepts no more apps, and disconnects those that are slow to leave. */
  close(): void;
}

/** How long an app may take to answer a close frame. */
const closeTimeoutMs = 2000;

export function createBridgeDoor(options: BridgeDoorOptions): BridgeDoor {
  const { sessions, appHash, connections, budget, count, log } = options;
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
    handleProtocols: (offered) => (offered.has(bridgeProtocol) ? bridgeProtocol : false),
  });

  return {
    get size() {
      return server.clients.size;
    },
    async upgrade(request, socket, head, id) {
      const session = await sessions.find(id);
      const sessionToken = session ? bridgeTokenOf(session) : "unknown";
      const access = judgeAccess({ presented: presentedBy(request), sharedHash: appHash, sessionToken });
      if (session && (access === "shared" || access === "own")) await sessions.expectBridge(session);
      if (socket.destroyed) return;
      server.handleUpgrade(request, socket, head, (ws) => {
        ws.on("error", (error) => {
          if (codeOf(error) === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH") count("too large");
          log.debug("a bridge failed", { error });
        });
        if (access === "refused") {
          count("refused token");
          closeFor(ws, "invalidToken");
        } else if (session === undefined || access === "gone") {
          count("unknown session");
          closeFor(ws, "unknownSession");
        } else if (!connections.claim(request.socket, `bridge ${id}`)) {
          count("busy");
          closeFor(ws, "overloaded");
        } else void connect(ws, socket, session, access);
      });
    },
    close() {
      for (const ws of server.clients) ws.terminate();
      server.close();
    },
  };

  /**
   * Counts the bytes of a message that has arrived in part, since they are held until it is complete. An app that sends
   * a large message can't answer pings meanwhile, so `onPart` is called for each part as a sign of life. The returned
   * function ends the count of one message.
   */
  function countArriving(ws: WebSocket, socket: Duplex, onPart: () => void): () => void {
    let arrived = 0;
    let counted = 0;
    // Before the listener that assembles messages, so that the last part of one is not counted for the next.
    socket.prependListener("data", (chunk: Buffer) => {
      arrived += chunk.length;
      if (arrived - counted <= smallPiece) return;
      if (budget.take(arrived - counted)) {
        counted = arrived;
        onPart();
      } else {
        count("refused for memory");
        ws.terminate();
      }
    });
    return () => {
      budget.give(counted);
      arrived = counted = 0;
    };
  }

  async function connect(
    ws: WebSocket,
    socket: Duplex,
    session: RegisteredSession,
    access: "shared" | "own",
  ): Promise<void> {
    // No message may arrive before there is a listener.
    ws.pause();
    try {
      // From now on the shared token can't take this bridge over.
      if (access === "own") await sessions.closeBridgeToOthers(session.id);
      // Nothing would move a bridge that is opened after the others were asked to leave: its calls would be lost.
      if (options.isDraining()) {
        ws.resume();
        return closeFor(ws, "draining");
      }
      const bridge = await sessions.openBridge(session, new AppSocket(ws, socket));
      const endCount = countArriving(ws, socket, () => bridge.markAlive());
      ws.on("message", (data: RawData, isBinary: boolean) => {
        endCount();
        if (isBinary) {
          count("malformed message");
          bridge.close("malformed", "a message must be text");
        } else bridge.receiveMessage(messageText(data));
      });
      ws.on("pong", () => bridge.markAlive());
      ws.once("close", () => {
        endCount();
        bridge.gone();
      });
      if (ws.readyState === WebSocket.CLOSED) bridge.gone();
      ws.resume();
    } catch (error) {
      const reason = closeReasonFor(error);
      if (reason === "failed") log.error("a bridge could not be opened", { error });
      else log.debug("a bridge could not be opened", { error });
      ws.resume();
      closeFor(ws, reason);
    }
  }
}

/** A class, not a closure: there is one for every bridge. */
class AppSocket implements BridgeSocket {
  readonly #ws: WebSocket;
  readonly #socket: Duplex;

  constructor(ws: WebSocket, socket: Duplex) {
    this.#ws = ws;
    this.#socket = socket;
  }

  isOpen(): boolean {
    return this.#ws.readyState === WebSocket.OPEN && this.#socket.writable;
  }

  get bufferedAmount(): number {
    return this.#ws.bufferedAmount;
  }

  /** Bypasses the library, which writes a message in two pieces. That is safe because nothing is compressed here. */
  send(text: string, written: (error?: Error | null) => void): void {
    this.#socket.write(textFrame(text), written);
  }

  ping(): void {
    this.#ws.ping();
  }

  close(code: number, reason: string): void {
    closeSoon(this.#ws, code, reason);
  }

  terminate(): void {
    this.#ws.terminate();
  }
}

function closeReasonFor(error: unknown): CloseReason {
  if (isFault(error, "unknown-session")) return "unknownSession";
  return isFault(error) && error.row.retry ? "unavailable" : "failed";
}

function closeFor(ws: WebSocket, reason: CloseReason): void {
  const [code, text] = closeCodes[reason];
  closeSoon(ws, code, text);
}

function closeSoon(ws: WebSocket, code: number, reason: string): void {
  ws.close(code, reason);
  const timer = setTimeout(() => ws.terminate(), closeTimeoutMs).unref();
  ws.once("close", () => clearTimeout(timer));
}

function messageText(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return Buffer.isBuffer(data) ? data.toString() : Buffer.from(data).toString();
}

/** One unmasked text message as it goes over the wire (RFC 6455, 5.2), in one buffer, so that it is one write. */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const head = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = 0x81;
  if (head === 2) frame[1] = length;
  else if (head === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, head);
  return frame;
}
