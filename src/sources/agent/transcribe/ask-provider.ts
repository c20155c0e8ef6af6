import { withDeadline } from "../../../core/deadline.ts";
import { Fault } from "../../../core/fault.ts";
import { maskSent } from "../../../core/mask-sent.ts";
import { peerWords } from "../../../core/peer-words.ts";
import type { Attachment } from "../attachment.ts";
import { mostTranscriptBytes } from "../media-limits.ts";
import { readBounded } from "../read-bounded.ts";

export interface Provider {
  readonly url: string;
  readonly model: string | undefined;
  readonly apiKey: string | undefined;
  readonly timeoutMs: number;
}

/** `POST /audio/transcriptions`, as OpenAI has it and whisper.cpp, vLLM, LocalAI, Groq and others took it over. */
export async function askProvider(
  audio: Attachment,
  { url, model = "whisper-1", apiKey, timeoutMs }: Provider,
  signal: AbortSignal,
): Promise<string> {
  const form = new FormData();
  const content = Buffer.from(await audio.base64(), "base64");
  form.set("file", new Blob([content], { type: audio.mimeType }), audio.name);
  form.set("model", model);
  form.set("response_format", "json");
  const target = `${url.replace(/\/+$/, "")}/audio/transcriptions`;
  return withDeadline(timeoutMs, signal, async (ended) => {
    const response = await fetch(target, {
      method: "POST",
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      body: form,
      signal: ended,
      // The key is for this address and no other.
      redirect: "error",
    });
    const name = "The answer of the transcription provider";
    const body = (await readBounded(response, mostTranscriptBytes, name)).toString();
    const said = (): string => peerWords(maskSent(body, apiKey === undefined ? [] : [apiKey]), 300);
    if (!response.ok) throw refused(url, `answered ${response.status}: ${said()}`);
    const text = textIn(body);
    if (text === undefined) throw refused(url, `answered without a text: ${said()}`);
    return text;
  });
}

function textIn(body: string): string | undefined {
  try {
    const { text } = JSON.parse(body) as { readonly text?: unknown };
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}

function refused(url: string, text: string): Fault {
  return new Fault("unavailable", `The transcription provider at ${url} ${text}`);
}
