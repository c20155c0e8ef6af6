import { unescape } from "node:querystring";
import { Fault } from "../../../core/fault.ts";
import { readBoundedBody } from "../../../core/http/read-response.ts";
import { quotedPeerText } from "../../../core/text/peer-text.ts";
import { redactKnown } from "../../../core/secrets/redact-known.ts";
import { addressSecrets } from "../../../core/secrets/secret-parts.ts";
import { withDeadline } from "../../../core/wait.ts";
import type { Attachment } from "../media/check-media.ts";
import { maxTranscriptBytes } from "../media/media-limits.ts";

export interface TranscriptionProvider {
  readonly url: string;
  readonly model: string | undefined;
  readonly apiKey: string | undefined;
  readonly timeoutMs: number;
}

/** `POST /audio/transcriptions`: OpenAI's API, which whisper.cpp, vLLM, LocalAI, Groq and others offer too. */
export async function transcribeWithProvider(
  audio: Attachment,
  { url, model = "whisper-1", apiKey, timeoutMs }: TranscriptionProvider,
  signal: AbortSignal,
): Promise<string> {
  const form = new FormData();
  const content = Buffer.from(await audio.base64(), "base64");
  form.set("file", new Blob([content], { type: audio.mimeType }), audio.name);
  form.set("model", model);
  form.set("response_format", "json");
  const target = new URL(url);
  target.pathname = `${target.pathname.replace(/\/+$/, "")}/audio/transcriptions`;
  const authorization = apiKey === undefined ? basicOf(target) : `Bearer ${apiKey}`;
  // `fetch` refuses an address with a user in it, and repeats it.
  target.username = "";
  target.password = "";
  // The rest of an address may hold a key.
  const address = `${target.origin}${new URL(url).pathname}`;
  const secrets = [...(apiKey === undefined ? [] : [apiKey]), ...addressSecrets(url)];
  return withDeadline(timeoutMs, signal, async (ended) => {
    const response = await fetch(target, {
      method: "POST",
      headers: authorization === undefined ? {} : { authorization },
      body: form,
      signal: ended,
      // The key must not go to another address.
      redirect: "error",
    });
    const name = "The transcription provider's answer";
    const body = (await readBoundedBody(response, maxTranscriptBytes, name)).toString();
    const quotedBody = (): string => quotedPeerText(redactKnown(body, secrets), 300);
    if (!response.ok) throw providerFault(address, `answered ${response.status}: ${quotedBody()}`);
    const text = transcriptIn(body);
    if (text === undefined) throw providerFault(address, `answered without a transcript: ${quotedBody()}`);
    return text;
  });
}

function basicOf({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  return `Basic ${Buffer.from(`${unescape(username)}:${unescape(password)}`).toString("base64")}`;
}

function transcriptIn(body: string): string | undefined {
  try {
    const { text } = JSON.parse(body) as { readonly text?: unknown };
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}

function providerFault(address: string, problem: string): Fault {
  return new Fault("unavailable", `The transcription provider at ${address} ${problem}`);
}
