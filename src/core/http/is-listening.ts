import { connect } from "node:net";

/** Whether something accepts connections there. Loopback answers at once, so a short wait is enough. */
export function isListening(host: string, port: number, timeoutMs = 500): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const answer = (listening: boolean) => (): void => {
      socket.destroy();
      resolve(listening);
    };
    socket.setTimeout(timeoutMs, answer(false));
    socket.once("connect", answer(true));
    socket.once("error", answer(false));
  });
}
