import type { World } from "../world.ts";

/** The sequence that shows an image in this terminal; nothing where the terminal can't, or isn't one. */
export function inlineImage(
  base64: string,
  mimeType: string,
  { stdout, env }: Pick<World, "stdout" | "env">,
): string | undefined {
  if (stdout.isTTY !== true) return undefined;
  const protocol = findProtocol(env);
  if (protocol === "iterm") {
    const size = Math.floor((base64.length * 3) / 4);
    return `\u001B]1337;File=inline=1;size=${size};preserveAspectRatio=1:${base64}\u0007`;
  }
  // The kitty protocol takes PNG as it is; all else would have to be decoded first.
  return protocol === "kitty" && mimeType === "image/png" ? kittySequence(base64) : undefined;
}

/** By what terminals say of themselves. Inside tmux and screen neither protocol gets through. */
function findProtocol(env: World["env"]): "iterm" | "kitty" | undefined {
  const { TMUX, STY, TERM = "", TERM_PROGRAM = "", KITTY_WINDOW_ID } = env;
  if (TMUX || STY || /^(?:screen|tmux)/.test(TERM)) return undefined;
  if (TERM_PROGRAM === "iTerm.app" || TERM_PROGRAM === "WezTerm" || env["LC_TERMINAL"] === "iTerm2") return "iterm";
  if (KITTY_WINDOW_ID || TERM === "xterm-kitty" || TERM === "xterm-ghostty" || TERM_PROGRAM === "ghostty")
    return "kitty";
  return undefined;
}

/** Sent in pieces of at most 4096 characters; `m=1` says that more follows. */
function kittySequence(base64: string): string {
  const pieces = base64.match(/.{1,4096}/gs) ?? [];
  return pieces
    .map((piece, index) => {
      const control = `${index === 0 ? "f=100,a=T," : ""}m=${index < pieces.length - 1 ? 1 : 0}`;
      return `\u001B_G${control};${piece}\u001B\\`;
    })
    .join("");
}
