import type { Progress } from "../../mcp/progress.ts";

/** How far a call is, with a bar where its end is known. */
export function progressText({ progress, total, message }: Progress): string {
  const share = total === undefined || total <= 0 ? undefined : Math.min(1, progress / total);
  const amount =
    share === undefined ? String(progress) : `${String(Math.round(share * 100)).padStart(3)} % ${bar(share)}`;
  return message === undefined ? amount : `${amount} ${message}`;
}

function bar(share: number): string {
  const full = Math.round(share * 20);
  return `${"█".repeat(full)}${"░".repeat(20 - full)}`;
}
