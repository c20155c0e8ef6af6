import { status } from "../../hub/shared.ts";
import { CopyButton } from "../../parts/button.tsx";

/** The same call for a terminal, a script or an MCP client. */
export function CopyAs({ tool, args }: { readonly tool: string; readonly args: unknown }) {
  const address = status.value.value?.address ?? "http://127.0.0.1:8765";
  return (
    <span class="row row-wrap copy-as">
      <span class="small muted">Copy as</span>
      <CopyButton plain text={asCurl(address, tool, args)} what="a curl command" label="curl" />
      <CopyButton plain text={asCommand(tool, args)} what="a command" label="command" />
      <CopyButton plain text={JSON.stringify(messageOf(tool, args), undefined, 2)} what="an MCP message" label="MCP" />
    </span>
  );
}

/** The token stays in its file. */
function asCurl(address: string, tool: string, args: unknown): string {
  return [
    `curl -s ${quoted(`${address}/mcp`)}`,
    `-H ${quoted("content-type: application/json")}`,
    `-H ${quoted("accept: application/json, text/event-stream")}`,
    '-H "authorization: Bearer $(clawport token show)"',
    `-d ${quoted(JSON.stringify(messageOf(tool, args)))}`,
  ].join(" \\\n  ");
}

function asCommand(tool: string, args: unknown): string {
  return `clawport call ${quoted(tool)} ${quoted(JSON.stringify(args))}`;
}

function messageOf(tool: string, args: unknown): object {
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: args } };
}

/** One word for a POSIX shell, whatever is in it. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
