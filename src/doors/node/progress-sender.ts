import { asRecord } from "../../core/is-record.ts";
import type { Progress } from "../../mcp/messages/interim-messages.ts";

/** A step of `node.invoke.progress`. */
export interface ProgressStep {
  readonly seq: number;
  readonly chunk: string;
}

/** The gateway takes 16,384 bytes in a chunk. */
const maxChunkLength = 16_000;
const maxUnanswered = 8;

/** Sends the progress of one call, a JSON object a chunk, until the gateway says that no one reads it. */
export function createProgressSender(send: (step: ProgressStep) => Promise<unknown>) {
  let seq = 0;
  let unanswered = 0;
  let isRead = true;
  return (progress: Progress): void => {
    if (!isRead || unanswered >= maxUnanswered) return;
    const chunk = `${JSON.stringify(progress)}\n`;
    if (Buffer.byteLength(chunk) > maxChunkLength) return;
    unanswered++;
    send({ seq: seq++, chunk })
      .then(
        (answer) => void (asRecord(answer)["ignored"] === true && (isRead = false)),
        () => void (isRead = false),
      )
      .finally(() => unanswered--);
  };
}
