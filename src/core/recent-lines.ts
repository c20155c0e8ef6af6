/** The last lines of a log, bounded in number and size. */
export interface RecentLines {
  add(line: string): void;
  read(): readonly string[];
}

export function createRecentLines(mostLines: number, longestLine: number): RecentLines {
  let lines: string[] = [];
  return {
    add(line) {
      lines.push(line.length > longestLine ? `${line.slice(0, longestLine)}…` : line);
      // Cut in halves, so that a line costs nothing on average.
      if (lines.length >= 2 * mostLines) lines = lines.slice(-mostLines);
    },
    read: () => lines.slice(-mostLines),
  };
}
