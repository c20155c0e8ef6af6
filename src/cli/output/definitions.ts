/** Names on the left, what they mean on the right, wrapped to the width: the shape of every list in the help. */
export function renderDefinitions(entries: readonly (readonly [string, string])[], width = 80): string {
  const left = Math.max(0, ...entries.map(([name]) => name.length)) + 4;
  return entries
    .map(([name, meaning]) => {
      const [first = "", ...rest] = wrapText(meaning, Math.max(24, width - left));
      return [`  ${name.padEnd(left - 2)}${first}`, ...rest.map((line) => " ".repeat(left) + line)]
        .join("\n")
        .trimEnd();
    })
    .join("\n");
}

function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
