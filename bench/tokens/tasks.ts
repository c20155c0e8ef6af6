/** One step of a scripted model: what it looks for, the tool it then calls, and what the answer must hold. */
interface ToolStep {
  readonly query: string | readonly string[];
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly expects: RegExp;
}

export interface Task {
  readonly title: string;
  readonly prompt: string;
  /** In the folder that the servers share. */
  steps(folder: string): readonly ToolStep[];
  /** What the model searches for in a result that was kept for it; else it reads the result whole. */
  readonly wanted?: RegExp;
}

/** The line that a task looks for in a large file. */
export const needle = "ERROR 4711 the disk of worker 17 is full";

/** 2 MB of lines, of which one is worth reading. */
export function largeLog(): string {
  const lines = Array.from(
    { length: 30_000 },
    (_, index) => `2026-11-16 INFO request ${index} was served in ${index % 97} ms by worker ${index % 40}`,
  );
  lines[17_000] = `2026-11-16 ${needle}`;
  return lines.join("\n");
}

/** They run without the network and end the same way every time. */
export const tasks: readonly Task[] = [
  {
    title: "write a note and read it back",
    prompt: "Write 'milk and bread' to shopping.txt, then check that it is there.",
    steps: (folder) => [
      {
        query: "write a file",
        tool: "filesystem__write_file",
        args: { path: `${folder}/shopping.txt`, content: "milk and bread" },
        expects: /shopping/,
      },
      {
        query: "read a text file",
        tool: "filesystem__read_text_file",
        args: { path: `${folder}/shopping.txt` },
        expects: /milk and bread/,
      },
    ],
  },
  {
    title: "remember a fact and recall it",
    prompt: "Remember that Peter is allergic to nuts. What do you know about Peter?",
    steps: () => [
      {
        query: ["remember a fact about a person", "create entities in memory"],
        tool: "memory__create_entities",
        args: { entities: [{ name: "Peter", entityType: "person", observations: ["is allergic to nuts"] }] },
        // Empty if an earlier run has told it already.
        expects: /Peter|\[\]/,
      },
      { query: "search memory", tool: "memory__search_nodes", args: { query: "Peter" }, expects: /allergic to nuts/ },
    ],
  },
  {
    title: "add two numbers",
    prompt: "What is 4711 plus 17?",
    steps: () => [
      { query: "sum of two numbers", tool: "everything__get-sum", args: { a: 4711, b: 17 }, expects: /4728/ },
    ],
  },
  {
    title: "look around in a folder",
    prompt: "Which files are in the folder, and how large is the log?",
    steps: (folder) => [
      {
        query: "list directory with sizes",
        tool: "filesystem__list_directory_with_sizes",
        args: { path: folder },
        expects: /large\.log/,
      },
      {
        query: "details of a file",
        tool: "filesystem__get_file_info",
        args: { path: `${folder}/large.log` },
        expects: /size/,
      },
      {
        query: "find files by name",
        tool: "filesystem__search_files",
        args: { path: folder, pattern: "*.log" },
        expects: /large\.log/,
      },
    ],
  },
  {
    title: "find an error in a log of 2 MB",
    prompt: "Which worker had error 4711? Look into large.log.",
    steps: (folder) => [
      {
        query: "read a text file",
        tool: "filesystem__read_text_file",
        args: { path: `${folder}/large.log` },
        expects: /large|line|worker/,
      },
    ],
    wanted: /ERROR 4711/,
  },
];
