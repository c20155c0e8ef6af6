/** In quotes, a shell takes these for what they are. */
const harmless = /^[\w .:/@+=,~*-]+$/;

/**
 * A text that came from a server, as it may stand in a command for a person to copy. Nothing where a shell would do
 * something with it: quotes do not stop `$(…)`.
 */
export function commandWord(text: string): string | undefined {
  return harmless.test(text) ? `"${text}"` : undefined;
}
