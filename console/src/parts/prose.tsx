import { visible } from "./words.tsx";

/** A message of the hub: what stands in backticks is a command or a name. */
export function Prose({ text }: { readonly text: string }) {
  const parts = visible(text).split(/`([^`\n]+)`/);
  return <>{parts.map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>;
}

/** Rules are counted from 1 on this page, as a person does. */
export function ruleWords(text: string): string {
  return text.replaceAll(/policy\.rules\[(\d+)\]/g, (_, at: string) => `rule ${Number(at) + 1}`);
}
