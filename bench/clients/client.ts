/**
 * The generator's side of a target. Hand-written, so that it costs little beside what is measured, and without retries:
 * anything but a good answer throws.
 */
export interface Client extends AsyncDisposable {
  /** `params` is JSON already, so that a large one is not made anew for every call. Resolves to the raw answer. */
  request(method: string, params: string): Promise<Buffer>;
}

const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } };

export const helloParams = JSON.stringify(hello);

/** Looks at the ends only: an answer of 1 MB is not parsed, its middle is the data that was sent. */
export function checkAnswer(answer: Buffer): Buffer {
  const ends = answer.length <= 400 ? answer : Buffer.concat([answer.subarray(0, 200), answer.subarray(-200)]);
  const text = ends.toString();
  if (!text.includes('"result":') || text.includes('"isError":true')) throw new Error(`bad answer: ${text}`);
  return answer;
}
