import type { KnownNames } from "../options.ts";
import { type CompletionNode, type CompletionOption, knownNamesOf, namesCommand } from "./completion-model.ts";

/** A script for `source <(clawport completion zsh)`, or for a folder of `$fpath` as `_clawport`. */
export function zshCompletion(nodes: readonly CompletionNode[]): string {
  const groups = nodes.filter(({ path, words }) => path !== "" && isGroupNode(path, words.length, nodes));
  return `#compdef clawport
${nodes.map((node) => nodeFunction(node, node.path === "" || groups.includes(node))).join("\n")}
_clawport() {
  _clawport_at
}
if [[ "$funcstack[1]" == "_clawport" ]]; then
  _clawport "$@"
else
  compdef _clawport clawport
fi
`;
}

function nodeFunction(node: CompletionNode, descends: boolean): string {
  const words = node.words.map(({ word, summary }) => quoted(`${escaped(word)}:${summary}`)).join(" ");
  const options = node.options.map(optionSpec);
  if (!descends) {
    const args = quoted(`*: :${argumentAction(node)}`);
    return `${functionName(node.path)}() {
  _arguments -S ${[...options, args].join(" \\\n    ")}
}`;
  }
  return `${functionName(node.path)}() {
  local curcontext="$curcontext" state line
  local -a words_here
  words_here=(${words})
  _arguments -S -C ${[...options, "'1: :->word'", "'*:: :->rest'"].join(" \\\n    ")} && return
  case $state in
    word) _describe 'command' words_here ;;
    rest) (( $+functions[${functionName(node.path)}_$line[1]] )) && ${functionName(node.path)}_$line[1] ;;
  esac
}`;
}

function isGroupNode(path: string, words: number, nodes: readonly CompletionNode[]): boolean {
  return words > 0 && nodes.some((other) => other.path.startsWith(`${path} `));
}

function functionName(path: string): string {
  return path === "" ? "_clawport_at" : `_clawport_at_${path.replaceAll(" ", "_")}`;
}

function optionSpec({ name, spec }: CompletionOption): string {
  const value =
    spec.type === "boolean" ? "" : `:${spec.value?.replaceAll(/[<>]/g, "") ?? "value"}:${valueAction(spec)}`;
  const meaning = spec.description.replaceAll(/[[\]:]/g, String.raw`\$&`);
  const long = quoted(`${spec.multiple ? "*" : ""}--${name}[${meaning}]${value}`);
  return spec.short === undefined ? long : `${long} ${quoted(`-${spec.short}[${meaning}]${value}`)}`;
}

function valueAction(spec: CompletionOption["spec"]): string {
  const { completes, values = [] } = spec;
  const names = knownNamesOf(spec);
  if (names !== undefined) return namesAction(names);
  if (completes === "file") return "_files";
  return completes === "folder" ? "_files -/" : `(${values.join(" ")})`;
}

function argumentAction({ words, names }: CompletionNode): string {
  if (names !== undefined) return namesAction(names);
  return words.length === 0 ? "" : `(${words.map(({ word }) => word).join(" ")})`;
}

function namesAction(names: KnownNames): string {
  return `{compadd -- \${(f)"$(${namesCommand(names)})"}}`;
}

function escaped(word: string): string {
  return word.replaceAll(":", String.raw`\:`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
