import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Plan } from "./observe.ts";

const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export async function makeFiles(folder: string): Promise<void> {
  await mkdir(path.join(folder, "deep", "deeper"), { recursive: true });
  await writeFile(path.join(folder, "a.txt"), "one\ntwo\nthree ü\n");
  await writeFile(path.join(folder, "deep", "b.md"), "# B\n");
  await writeFile(path.join(folder, "deep", "deeper", "c.json"), '{ "c": 1 }\n');
  await writeFile(path.join(folder, "dot.png"), Buffer.from(picture, "base64"));
}

/** Every tool of the server «filesystem». `still` is a file whose times nobody changes. */
export function filesystemPlan(folder: string, still: string): Plan {
  const at = (...parts: string[]) => path.join(folder, ...parts);
  return {
    calls: [
      ["list_allowed_directories", {}],
      ["read_file", { path: at("a.txt") }],
      ["read_text_file", { path: at("a.txt"), head: 2 }],
      ["read_text_file", { path: at("a.txt"), tail: 1 }],
      ["read_text_file", { path: at("none.txt") }],
      ["read_text_file", { path: "/etc/hostname" }],
      ["read_media_file", { path: at("dot.png") }],
      ["read_multiple_files", { paths: [at("a.txt"), at("deep", "b.md"), at("none")] }],
      ["write_file", { path: at("new.txt"), content: "fresh 🦀\n" }],
      ["edit_file", { path: at("a.txt"), edits: [{ oldText: "two", newText: "2" }], dryRun: true }],
      ["edit_file", { path: at("a.txt"), edits: [{ oldText: "two", newText: "2" }] }],
      ["edit_file", { path: at("a.txt"), edits: [{ oldText: "not there", newText: "" }] }],
      ["create_directory", { path: at("made", "here") }],
      ["move_file", { source: at("new.txt"), destination: at("made", "moved.txt") }],
      ["list_directory", { path: folder }],
      ["list_directory_with_sizes", { path: folder, sortBy: "size" }],
      ["directory_tree", { path: folder, excludePatterns: ["deeper"] }],
      ["search_files", { path: folder, pattern: "**/*.txt" }],
      ["get_file_info", { path: still }],
    ],
    mistakes: [
      ["read_file", {}],
      ["list_directory_with_sizes", { path: folder, sortBy: "colour" }],
    ],
  };
}
