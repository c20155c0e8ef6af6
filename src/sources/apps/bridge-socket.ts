/** The WebSocket of an app, as far as a bridge needs it. */
export interface BridgeSocket {
  isOpen(): boolean;
  /** Bytes that wait to be written. */
  readonly bufferedAmount: number;
  /** `written` is always called: without an error once every byte is with the system, with one when that won't happen. */
  send(text: string, written: (error?: Error | null) => void): void;
  ping(): void;
  close(code: number, reason: string): void;
  terminate(): void;
}
