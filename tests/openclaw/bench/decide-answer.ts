export interface ModelMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[] | null;
}

export type MockAnswer =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "call"; readonly name: string; readonly args: string; readonly before?: string | undefined }
  | { readonly kind: "fail"; readonly message: string }
  | { readonly kind: "hang" };

/**
 * The latest thing the user said decides:
 * `call:<tool> {json}` makes a tool call and then tells its result, `say <text> then call:<tool> {json}` says something
 * before, `forever` makes it call again and again; `attach:<path>` attaches a file; `recall` tells what the user said before; `hang` never answers; `fail` is refused by
 * the model; anything else comes back as an echo.
 */
export function decideAnswer(messages: readonly ModelMessage[]): MockAnswer {
  const real = messages.filter((message) => !isInternal(message));
  const last = real.at(-1);
  const said = real.filter(({ role }) => role === "user").map(wordsOf);
  const words = said.at(-1) ?? "";
  if (last?.role === "tool" && !words.includes("forever")) return { kind: "text", text: `GOT=${textOf(last)}` };
  const [, before, name, args] = /(?:say (.*?) then )?call:([\w.-]+)\s+(\{[^\n]*\})/.exec(words) ?? [];
  if (name !== undefined && args !== undefined) return { kind: "call", name, args, before };
  const [, path] = /attach:(\S+)/.exec(words) ?? [];
  if (path !== undefined) return { kind: "text", text: `Here it is\nMEDIA:${path}` };
  if (words.includes("recall")) return { kind: "text", text: `EARLIER=${said.slice(0, -1).join("|")}` };
  if (words.includes("fail")) return { kind: "fail", message: "the mock model refuses this" };
  if (words.includes("hang")) return { kind: "hang" };
  return { kind: "text", text: `ECHO:${words.slice(-200)}` };
}

/** OpenClaw adds such a message behind every one of the user and of a tool: without skipping it, calls never end. */
function isInternal(message: ModelMessage): boolean {
  return message.role === "user" && textOf(message).startsWith("<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT");
}

/** What the user typed: OpenClaw puts the time before it and a line about the run behind it. */
function wordsOf(message: ModelMessage): string {
  return textOf(message)
    .replace(/^\[[^\]\n]*\d\d:\d\d[^\]\n]*\]\s*/, "")
    .split("\n\nRuntime: agent=")[0]!
    .trim();
}

function textOf({ content }: ModelMessage): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => part.text ?? `[${part.type}]`).join("");
}
