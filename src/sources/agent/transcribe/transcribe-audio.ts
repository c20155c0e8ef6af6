import { messageOf } from "../../../core/thrown.ts";
import type { Attachment } from "../attachment.ts";
import type { ReplyOptions } from "../reply.ts";
import { uniqueName } from "../safe-name.ts";
import type { Transcriber } from "./transcriber.ts";

/**
 * Puts what is said in place of the audio, as a text file. Audio that can't be transcribed, or in which nothing is said,
 * goes along as it is.
 */
export async function transcribeAudio(
  attachments: readonly Attachment[],
  { transcribe }: Transcriber,
  { signal, log, onActivity }: Pick<ReplyOptions, "signal" | "log" | "onActivity">,
): Promise<readonly Attachment[]> {
  const taken = new Set(attachments.map(({ name }) => name.toLowerCase()));
  const heard: Attachment[] = [];
  for (const attachment of attachments) {
    const text = attachment.mimeType.startsWith("audio/") ? await hear(attachment) : "";
    heard.push(text === "" ? attachment : textFile(uniqueName(`${attachment.name}.transcript.txt`, taken), text));
  }
  return heard;

  async function hear(audio: Attachment): Promise<string> {
    onActivity(`transcribing ${audio.name}`);
    try {
      return (await transcribe(audio, signal)).trim();
    } catch (error) {
      signal.throwIfAborted();
      log.warn("audio could not be transcribed; it goes along as a file", { name: audio.name, error });
      onActivity(`${audio.name} goes along as a file: ${messageOf(error)}`);
      return "";
    }
  }
}

function textFile(name: string, text: string): Attachment {
  const content = Buffer.from(text);
  return {
    kind: "file",
    name,
    mimeType: "text/plain",
    bytes: content.length,
    base64: () => Promise.resolve(content.toString("base64")),
  };
}
