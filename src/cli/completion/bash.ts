import {
  type CompletionNode,
  type CompletionOption,
  knownNamesOf,
  namesCommand,
  spellings,
  valueOptions,
} from "./completion-model.ts";

/** A script for `source <(clawport completion bash)`. */
export function bashCompletion(nodes: readonly CompletionNode[]): string {
  const paths = nodes.filter(({ path }) => path !== "").map(({ path }) => `"${path}"`);
  return `# bash completion of clawport
_clawport() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD - 1]}"
  local path="" words="" options="" word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$word" in
      ${valueOptions(nodes).join("|")}) ((i++)) ;;
      -*) ;;
      *)
        case "\${path:+$path }$word" in
          ${paths.join("|")}) path="\${path:+$path }$word" ;;
        esac
        ;;
    esac
  done
  COMPREPLY=()
  case "$path" in
${nodes.map(pathCase).join("\n")}
  esac
  if [[ "$cur" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  fi
}
complete -F _clawport clawport
`;
}

function pathCase({ path, words, options, names }: CompletionNode): string {
  const values = options.filter(({ spec }) => spec.type !== "boolean").map(valueCase);
  return `    "${path}")
      case "$prev" in
${values.join("\n")}
      esac
      words="${names === undefined ? words.map(({ word }) => word).join(" ") : `$(${namesCommand(names)})`}"
      options="${options.map(({ name }) => `--${name}`).join(" ")}"
      ;;`;
}

function valueCase(option: CompletionOption): string {
  const { values, completes } = option.spec;
  const names = knownNamesOf(option.spec);
  const listed = names === undefined ? values?.join(" ") : `$(${namesCommand(names)})`;
  const words = listed === undefined ? "" : `-W "${listed}"`;
  const source = completes === "file" ? "-f" : completes === "folder" ? "-d" : words;
  const reply = source === "" ? "" : `COMPREPLY=($(compgen ${source} -- "$cur")); `;
  const files = completes === undefined || names !== undefined ? "" : "compopt -o filenames; ";
  return `        ${spellings(option).join("|")}) ${files}${reply}return ;;`;
}
