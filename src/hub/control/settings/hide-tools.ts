import { pathKey } from "../../../core/config/config-path.ts";
import { setJson5 } from "../../../core/config/json5/edit-json5.ts";
import { readJson5 } from "../../../core/config/json5/read-json5.ts";
import { Fault, messageOf } from "../../../core/fault.ts";
import { asRecord } from "../../../core/is-record.ts";

const path = ["catalog", "exclude"];

/**
 * A text of the configuration in which these tools are hidden from all clients. Comments in the list stay, and nothing is
 * written.
 */
export function hideTools(text: string, tools: readonly string[]): string {
  const document = readText(text);
  const excluded = asRecord(asRecord(document.value)["catalog"])["exclude"] ?? [];
  if (!Array.isArray(excluded)) throw new Fault("config", "`catalog.exclude` is not a list. Correct it first.");
  const added = [...new Set(tools)].filter((tool) => !excluded.includes(tool));
  if (added.length === 0) return text;
  const place = document.places.get(pathKey(path));
  if (place === undefined) return setJson5(text, path, added);
  const [gap = ""] = /^\s*/.exec(text.slice(place.value + 1)) ?? [];
  const start = place.value + 1 + gap.length;
  const names = added.map((tool) => JSON.stringify(tool)).join(gap.includes("\n") ? `,${gap}` : ", ");
  const end = excluded.length === 0 ? "" : gap.includes("\n") ? `,${gap}` : ", ";
  return text.slice(0, start) + names + end + text.slice(start);
}

function readText(text: string): ReturnType<typeof readJson5> {
  try {
    return readJson5(text.trim() === "" ? "{}" : text);
  } catch (error) {
    throw new Fault("config", `The configuration can't be read: ${messageOf(error)} Correct it first.`, {
      cause: error,
    });
  }
}
