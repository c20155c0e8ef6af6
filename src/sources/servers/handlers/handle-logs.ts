import { stripVTControlCharacters } from "node:util";
import { visibleText } from "../../../catalog/guard/visible-text.ts";
import type { Handled, HandlerContext } from "./handled.ts";

/** `logs <server>`: what it last said on stderr. A server that is reached over HTTP says nothing there. */
export async function handleLogs({ control }: HandlerContext, name: string): Promise<Handled> {
  const text = await control.logs(name);
  const plain = stripVTControlCharacters(text).replaceAll("\r\n", "\n").replaceAll("\t", "    ");
  const shown = visibleText(plain, plain.length).trimEnd();
  return { ok: true, data: { server: name, text }, text: shown === "" ? `${name} has said nothing on stderr.` : shown };
}
