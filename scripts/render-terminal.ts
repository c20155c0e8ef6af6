/** A command and what it printed. */
export interface ShownCommand {
  readonly command: string;
  readonly output: string;
}

const columns = 112;
const [letterWidth, lineHeight, margin, barHeight] = [7.83, 19, 18, 34];
const colours = { prompt: "#7ee787", command: "#ffffff", text: "#c9d1d9", added: "#7ee787", removed: "#ffa198" };

/** A terminal with these commands, as an SVG that needs no font or script of its own. */
export function renderTerminal(commands: readonly ShownCommand[]): string {
  const lines = commands.flatMap(({ command, output }) => [
    ...wrap(`$ ${command}`).map((text, index) => ({ text, colour: colours.command, hasPrompt: index === 0 })),
    ...output
      .split("\n")
      .flatMap((line) => wrap(line).map((text) => ({ text, colour: colourOf(line), hasPrompt: false }))),
    { text: "", colour: colours.text, hasPrompt: false },
  ]);
  const width = Math.ceil(columns * letterWidth + 2 * margin);
  const height = barHeight + lines.length * lineHeight + margin;
  const rows = lines.map(({ text, colour, hasPrompt }, index) => {
    const y = barHeight + margin + index * lineHeight;
    const prompt = hasPrompt ? `<tspan fill="${colours.prompt}">$</tspan>` : "";
    return `<text x="${margin}" y="${y}" fill="${colour}">${prompt}${escapeXml(hasPrompt ? text.slice(1) : text)}</text>`;
  });
  const dots = ["#ff5f57", "#febc2e", "#28c840"].map(
    (fill, index) => `<circle cx="${margin + index * 20}" cy="17" r="6" fill="${fill}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<rect width="100%" height="100%" rx="10" fill="#0d1117"/>
${dots.join("\n")}
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13">
${rows.join("\n")}
</g>
</svg>
`;
}

function colourOf(line: string): string {
  if (line.startsWith("+ ")) return colours.added;
  return line.startsWith("- ") ? colours.removed : colours.text;
}

function wrap(line: string): string[] {
  const parts: string[] = [];
  for (let rest = line; ; rest = rest.slice(columns)) {
    parts.push(rest.slice(0, columns));
    if (rest.length <= columns) return parts;
  }
}

/** Spaces are made unbreakable: several in a row would be shown as one. */
function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(" ", "&#160;");
}
