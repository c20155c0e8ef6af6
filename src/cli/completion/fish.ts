import {
  type CompletionNode,
  type CompletionOption,
  knownNamesOf,
  namesCommand,
  valueOptions,
} from "./completion-model.ts";

/** A script for `clawport completion fish | source`. */
export function fishCompletion(nodes: readonly CompletionNode[]): string {
  const paths = nodes.filter(({ path }) => path !== "").map(({ path }) => quoted(path));
  return `# fish completion of clawport
function __clawport_path
  set -l path
  set -l skip 0
  for word in (commandline -opc)[2..]
    if test $skip = 1
      set skip 0
      continue
    end
    switch $word
      case ${valueOptions(nodes).join(" ")}
        set skip 1
      case '-*'
      case '*'
        if contains -- (string join ' ' $path $word) ${paths.join(" ")}
          set -a path $word
        end
    end
  end
  test "$path" = "$argv[1]"
end
complete -c clawport -f
${nodes.flatMap(nodeLines).join("\n")}
`;
}

function nodeLines({ path, words, options, names }: CompletionNode): string[] {
  const here = `complete -c clawport -n ${quoted(`__clawport_path ${quoted(path)}`)}`;
  return [
    ...words.map(({ word, summary }) => `${here} -a ${quoted(word)} -d ${quoted(summary)}`),
    ...(names === undefined ? [] : [`${here} -a ${quoted(`(${namesCommand(names)})`)}`]),
    ...options.map((option) => `${here} ${optionFlags(option)}`),
  ];
}

function optionFlags({ name, spec }: CompletionOption): string {
  const short = spec.short === undefined ? "" : ` -s ${spec.short}`;
  const value = spec.type === "boolean" ? "" : " -x";
  const files = spec.completes === "file" ? " -a '(__fish_complete_path)'" : "";
  const folders = spec.completes === "folder" ? " -a '(__fish_complete_directories)'" : "";
  const names = knownNamesOf(spec);
  const known = names === undefined ? "" : ` -a ${quoted(`(${namesCommand(names)})`)}`;
  const values = spec.values === undefined ? "" : ` -a ${quoted(spec.values.join(" "))}`;
  return `-l ${name}${short}${value}${files}${folders}${known}${values} -d ${quoted(spec.description)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;
}
