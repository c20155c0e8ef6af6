import type { ToolAnnotations } from "../../../src/mcp/messages/tool.ts";

/** What a tool says about itself. MCP's defaults count for what it leaves out. */
export function hintWords(annotations: ToolAnnotations | undefined): readonly string[] {
  const {
    readOnlyHint = false,
    destructiveHint = true,
    idempotentHint = false,
    openWorldHint = true,
  } = annotations ?? {};
  if (annotations === undefined) return [];
  if (readOnlyHint) return ["read-only"];
  return [
    destructiveHint ? "may delete or overwrite" : "changes things",
    ...(idempotentHint ? ["repeatable"] : []),
    ...(openWorldHint ? [] : ["stays on this computer"]),
  ];
}

export function Hints({ annotations }: { readonly annotations: ToolAnnotations | undefined }) {
  return (
    <>
      {hintWords(annotations).map((word) => (
        <span key={word} class={`tag${word.startsWith("may") ? " warn" : ""}`}>
          {word}
        </span>
      ))}
    </>
  );
}
