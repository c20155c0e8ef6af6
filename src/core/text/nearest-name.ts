/** The known name that was most likely meant; undefined if none is close, since a wrong guess does not help. */
export function nearestName(typed: string, known: Iterable<string>): string | undefined {
  const word = typed.slice(0, 100).toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const name of known) {
    const distance = editDistance(word, name.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best ?? findWithin(word, known);
}

/** Finds `servers` in `mcpServers`: too many edits apart, but obviously meant. */
function findWithin(word: string, known: Iterable<string>): string | undefined {
  const isNear = (name: string): boolean => name.length > 3 && word.includes(name.toLowerCase());
  return [...known].filter(isNear).sort((a, b) => b.length - a.length)[0];
}

/** How many replacements, insertions, deletions and swaps of neighbours turn one word into the other. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const at = (up: number, left: number): number => rows[i - up]?.[j - left] ?? 0;
      let cost = Math.min(at(1, 0) + 1, (row[j - 1] ?? 0) + 1, at(1, 1) + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, at(2, 2) + 1);
      row.push(cost);
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? 0;
}
