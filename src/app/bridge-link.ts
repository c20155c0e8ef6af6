/** Close codes after which this session, or its token, is of no use any more. */
const sessionOverCodes: ReadonlySet<number> = new Set([4401, 4404, 4408, 4410]);

export interface BridgeLinkOptions {
  readonly url: string;
  readonly token: string;
  /** A connection over which nothing arrives for three of these intervals is taken for dead. */
  readonly heartbeatMs: number;
  /** The one of this environment unless given. */
  readonly socketClass?: typeof WebSocket;
  onMessage(text: string): void;
  onConnected(isConnected: boolean): void;
  /** The session is gone, or another app has taken it over: this link will not reconnect. */
  onOver(why: "session over" | "replaced"): void;
}

/** Keeps a WebSocket to the bridge open, and reconnects by itself when it breaks. */
export interface BridgeLink {
  /** Returns false if there is no connection. */
  send(text: string): boolean;
  close(): void;
}

const shortestWaitMs = 100;
const maxWaitMs = 10_000;

export function openBridgeLink(options: BridgeLinkOptions): BridgeLink {
  const { url, token, heartbeatMs, socketClass = WebSocket, onMessage, onConnected, onOver } = options;
  let socket: WebSocket | undefined;
  let reconnectTimer: ReturnType<typeof setTimeout> | undefined;
  let heartbeat: ReturnType<typeof setInterval> | undefined;
  let failures = 0;
  let isClosed = false;
  connect();

  return {
    send,
    close() {
      isClosed = true;
      clearTimeout(reconnectTimer);
      clearInterval(heartbeat);
      socket?.close(1000);
    },
  };

  function send(text: string): boolean {
    if (socket?.readyState !== socketClass.OPEN) return false;
    socket.send(text);
    return true;
  }

  function connect(): void {
    // Browsers send no headers with a WebSocket, so the token goes as a subprotocol.
    const opened = new socketClass(url, ["clawport.bridge", `bearer.${token}`]);
    let silentBeats = 0;
    socket = opened;
    heartbeat = setInterval(() => {
      if (++silentBeats === 2) send('{"type":"ping"}');
      if (silentBeats < 3) return;
      // Its close event may take long, since the other end is gone.
      disconnect();
      opened.close();
      reconnectLater();
    }, heartbeatMs);
    opened.addEventListener("open", () => socket === opened && onConnected(true));
    opened.addEventListener("message", ({ data }) => {
      // The proxy has given up what still arrives over an abandoned connection: it must not be run.
      if (socket !== opened) return;
      silentBeats = 0;
      // Not on `open`: without a pause, a connection that closes again at once would be retried in a tight loop.
      failures = 0;
      if (typeof data === "string") onMessage(data);
    });
    opened.addEventListener("close", ({ code }) => {
      if (socket !== opened) return;
      disconnect();
      if (isClosed) return;
      if (sessionOverCodes.has(code)) return onOver("session over");
      if (code === 4409) return onOver("replaced");
      reconnectLater();
    });
  }

  function disconnect(): void {
    clearInterval(heartbeat);
    socket = undefined;
    onConnected(false);
  }

  function reconnectLater(): void {
    if (isClosed) return;
    const most = Math.min(maxWaitMs, shortestWaitMs * 2 ** failures++);
    // Apps that lost their proxy together must not all reconnect at the same moment.
    reconnectTimer = setTimeout(connect, most / 2 + (Math.random() * most) / 2);
  }
}
