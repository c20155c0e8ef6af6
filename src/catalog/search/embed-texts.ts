import { Fault, messageOf } from "../../core/fault.ts";
import { readBoundedBody } from "../../core/http/read-response.ts";
import { isRecord } from "../../core/is-record.ts";
import { quotedPeerText } from "../../core/text/peer-text.ts";

/** Where an embedding model answers: an OpenAI-compatible address. */
export interface EmbeddingModel {
  /** Such as `http://127.0.0.1:11434/v1`. */
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
}

const maxAnswerBytes = 64 * 1024 * 1024;

/** One vector for each text, of length 1. Faults with `unavailable` if the address does not give them. */
export async function embedTexts(
  { url, model, apiKey }: EmbeddingModel,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly Float32Array[]> {
  const address = `${url.replace(/\/+$/, "")}/embeddings`;
  try {
    const response = await fetch(address, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({ model, input: texts, encoding_format: "float" }),
      redirect: "error",
      signal,
    });
    const body = (await readBoundedBody(response, maxAnswerBytes, "The answer")).toString();
    if (!response.ok) {
      // Some services repeat the key that they refuse.
      const said = apiKey === undefined ? body : body.replaceAll(apiKey, "[redacted]");
      throw new Error(`HTTP ${response.status} ${quotedPeerText(said)}`);
    }
    return parseVectors(JSON.parse(body), texts.length);
  } catch (error) {
    const message = `The embedding model at ${new URL(address).origin} gave no embeddings: ${messageOf(error)}`;
    throw new Fault("unavailable", message, { cause: error });
  }
}

function parseVectors(answer: unknown, count: number): readonly Float32Array[] {
  const data = isRecord(answer) ? answer.data : undefined;
  if (!Array.isArray(data) || data.length !== count) throw new Error("the answer has another number of embeddings");
  const vectors = Array.from<Float32Array | undefined>({ length: count });
  for (const [place, item] of data.entries()) {
    const { index = place, embedding } = isRecord(item) ? item : {};
    const isVector = Array.isArray(embedding) && embedding.length > 0 && embedding.length <= 16_384;
    if (!isVector || typeof index !== "number" || !(index in vectors)) throw new Error("an embedding is not a vector");
    vectors[index] = normalized(Float32Array.from(embedding, Number));
  }
  const [first] = vectors;
  if (first === undefined || vectors.some((vector) => vector?.length !== first.length))
    throw new Error("the embeddings differ in length");
  return vectors as Float32Array[];
}

function normalized(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (!Number.isFinite(sum)) throw new Error("an embedding is not a vector of numbers");
  const length = Math.sqrt(sum) || 1;
  return vector.map((value) => value / length);
}
