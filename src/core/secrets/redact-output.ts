import { createKnownRedactor } from "./redact-known.ts";
import { redactShapes } from "./redact.ts";

/** Makes what a program printed safe to show. `isCut` says that its beginning is missing. */
export type OutputRedactor = (text: string, isCut: boolean) => string;

/** Masks the known secrets and everything that looks like one. The program may be in the middle of printing one. */
export function createOutputRedactor(secrets: readonly string[]): OutputRedactor {
  const redact = createKnownRedactor(secrets);
  return (text, isCut) => {
    const safe = redact(text, { start: isCut, end: true });
    return redactShapes(isCut ? dropCutLine(safe) : safe);
  };
}

/** A line that lost its beginning may have lost what makes a key recognizable. */
function dropCutLine(text: string): string {
  return text.replace(/^[^\n]{0,8192}\n|^\S{0,1024}/, "");
}
