import { lineDiff } from "../settings/line-diff.ts";

/** What a call would change, as far as its arguments alone say. */
export interface ProposedChange {
  readonly title: string;
  /** In lines that begin with `+`, `-` or a space. */
  readonly diff: string;
}

const oldNames = ["old_string", "old_str", "old_text", "oldtext", "old", "before", "search"];
const newNames = ["new_string", "new_str", "new_text", "newtext", "new", "after", "replace"];
const patchNames = ["diff", "patch"];
const textNames = ["content", "contents", "file_text", "text", "message", "body"];
const placeNames = ["path", "file_path", "file", "filename", "to", "channel", "uri"];

/** Undefined if the arguments name nothing that is replaced, patched, written or sent. */
export function proposedChange(question: string): ProposedChange | undefined {
  const args = argumentsIn(question);
  if (args === undefined) return undefined;
  const at = textAt(args, placeNames);
  const of = at === undefined ? "" : ` ${at}`;
  const edits = Array.isArray(args["edits"]) ? (args["edits"] as readonly unknown[]) : [args];
  const replaced = edits.flatMap((edit) => {
    const [before, after] = [textAt(edit, oldNames), textAt(edit, newNames)];
    return before === undefined || after === undefined ? [] : lineDiff(before, after);
  });
  if (replaced.length > 0) return { title: `Replaces in${of || " the text"}`, diff: replaced.join("\n  …\n") };
  const patch = textAt(args, patchNames);
  if (patch !== undefined && /^[+-]/m.test(patch)) return { title: `Changes${of}`, diff: patch };
  const text = textAt(args, textNames);
  if (text === undefined || at === undefined) return undefined;
  return { title: `Writes${of}`, diff: text.replace(/\n$/, "").replaceAll(/^/gm, "+ ") };
}

function textAt(value: unknown, names: readonly string[]): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const entries = Object.entries(value);
  for (const name of names) {
    const found = entries.find(([key, each]) => key.toLowerCase() === name && typeof each === "string");
    if (found !== undefined) return found[1] as string;
  }
  return undefined;
}

/** The question shows arguments as JSON, a row for each line of a text: the rows are joined again. */
function argumentsIn(question: string): Readonly<Record<string, unknown>> | undefined {
  const [, shown] = /^Arguments:\s(\s*\{[^]*)$/m.exec(question) ?? [];
  if (shown === undefined) return undefined;
  const joined = shown.replaceAll(/\\n\n *│ /g, "\\n");
  const end = joined.indexOf("\n  }");
  for (const text of [joined, joined.split("\n", 1)[0] ?? "", joined.slice(0, end + 4)]) {
    try {
      return JSON.parse(text) as Readonly<Record<string, unknown>>;
    } catch {
      // What follows the arguments, such as a detail, is not part of them.
    }
  }
  return undefined;
}
