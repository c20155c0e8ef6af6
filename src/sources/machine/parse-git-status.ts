export interface GitStatus {
  readonly branch: string | null;
  readonly head: string | null;
  readonly upstream: string | null;
  readonly ahead: number;
  readonly behind: number;
  readonly clean: boolean;
  readonly files: readonly { readonly path: string; readonly index: string; readonly worktree: string }[];
  readonly truncated: boolean;
}

const maxFiles = 1000;

/** Reads `git status --porcelain=v2 --branch -z` without renames. */
export function parseGitStatus(output: string): GitStatus {
  const files: { path: string; index: string; worktree: string }[] = [];
  const facts = new Map<string, string>();
  let more = false;
  for (const line of output.split("\0")) {
    const header = /^# branch\.(\w+) (.*)$/s.exec(line);
    if (header) {
      facts.set(header[1]!, header[2]!);
      continue;
    }
    const file = parseFile(line);
    if (file === undefined) continue;
    if (files.length < maxFiles) files.push(file);
    else more = true;
  }
  const [, ahead = "0", behind = "0"] = /^\+(\d+) -(\d+)$/.exec(facts.get("ab") ?? "") ?? [];
  const named = (key: string, none: string): string | null => {
    const text = facts.get(key);
    return text === undefined || text === none ? null : text;
  };
  return {
    branch: named("head", "(detached)"),
    head: named("oid", "(initial)"),
    upstream: facts.get("upstream") ?? null,
    ahead: Number(ahead),
    behind: Number(behind),
    clean: files.length === 0,
    files,
    truncated: more,
  };
}

/** git-status(1), "Porcelain Format Version 2". */
function parseFile(line: string): { path: string; index: string; worktree: string } | undefined {
  if (line.startsWith("? ")) return { path: line.slice(2), index: "?", worktree: "?" };
  const fields = line.startsWith("1 ") ? 8 : line.startsWith("u ") ? 10 : undefined;
  if (fields === undefined) return undefined;
  const words = line.split(" ");
  const [index = ".", worktree = "."] = words[1] ?? "";
  return { path: words.slice(fields).join(" "), index, worktree };
}
