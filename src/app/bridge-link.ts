/** Close codes of the proxy after which coming back with the same session, or the token of it, is no use. */
const overCodes: ReadonlySet<number> = new Set([4401, 4404, 4408, 4410]);

export interface BridgeLinkOptions {
  readonly url: string;
  readonly token: string;
  /** A line over which nothing came for three of these is taken for dead. */
  readonly heartbeatMs: number;
  onMessage(text: string): void;
  onConnected(isConnected: boolean): void;
  /** The session is gone, or somebody else has it: this link has given up. */
  onOver(why: "session over" | "replaced"): void;
}

/** Keeps one WebSocket to the bridge up, coming back by itself when it breaks. */
export interface BridgeLink {
  /** Says whether there was a connection to send it over. */
  send(text: string): boolean;
  close(): void;
}

const shortestWaitMs = 100;
const longestWaitMs = 10_000;

export function openBridgeLink(options: BridgeLinkOptions): BridgeLink {
  const { url, token, heartbeatMs, onMessage, onConnected, onOver } = options;
  let socket: WebSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let heart: ReturnType<typeof setInterval> | undefined;
  let failures = 0;
  let isClosed = false;
  connect();

  return {
    send,
    close() {
      isClosed = true;
      clearTimeout(timer);
      clearInterval(heart);
      socket?.close(1000);
    },
  };

  function send(text: string): boolean {
    if (socket?.readyState !== WebSocket.OPEN) return false;
    socket.send(text);
    return true;
  }

  function connect(): void {
    // Browsers send no headers with a WebSocket, so the token goes as a subprotocol.
    const opened = new WebSocket(url, ["clawport.bridge", `bearer.${token}`]);
    let silentBeats = 0;
    socket = opened;
    heart = setInterval(() => {
      if (++silentBeats === 2) send('{"type":"ping"}');
      if (silentBeats < 3) return;
      // Its close event may be long in coming: nobody is there to say goodbye to.
      leave();
      opened.close();
      comeBack();
    }, heartbeatMs);
    opened.addEventListener("open", () => socket === opened && onConnected(true));
    opened.addEventListener("message", ({ data }) => {
      // What comes late over a line that was left is given up by the proxy, too: it must not be run.
      if (socket !== opened) return;
      silentBeats = 0;
      // Not when it opens: one that is closed again at once must not be tried without a pause.
      failures = 0;
      if (typeof data === "string") onMessage(data);
    });
    opened.addEventListener("close", ({ code }) => {
      if (socket !== opened) return;
      leave();
      if (isClosed) return;
      if (overCodes.has(code)) return onOver("session over");
      if (code === 4409) return onOver("replaced");
      comeBack();
    });
  }

  function leave(): void {
    clearInterval(heart);
    socket = undefined;
    onConnected(false);
  }

  function comeBack(): void {
    if (isClosed) return;
    const most = Math.min(longestWaitMs, shortestWaitMs * 2 ** failures++);
    // Apps that lost their proxy together must not all come back in the same moment.
    timer = setTimeout(connect, most / 2 + (Math.random() * most) / 2);
  }
}
