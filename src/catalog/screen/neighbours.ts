import { type Finding, quoteAt } from "./finding.ts";
import { isAnyOf, type Meaning, meaningOf } from "./lexicon/lexicon.ts";
import { readWords } from "./lexicon/read-words.ts";
import { plainLetters } from "./plain-letters.ts";
import { latinOf, withoutInvisible } from "./reveal-text.ts";

/** A tool of another server, as far as a definition can be confused with it or speak of it. */
export interface Neighbour {
  readonly server: string;
  readonly name: string;
}

/** The name as it looks: confusable letters and signs made one. */
export function skeletonOf(name: string): string {
  return plainLetters(latinOf(withoutInvisible(name)))
    .replaceAll(/[\s_.-]+/g, "_")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w")
    .replaceAll("cl", "d")
    .replaceAll(/[1|!]/g, "l")
    .replaceAll("0", "o")
    .replaceAll("5", "s")
    .replaceAll("3", "e")
    .replaceAll("4", "a")
    .replaceAll("i", "l");
}

/** All tools of all servers, by what they are called, by how that looks, and by how it looks with one letter left out. */
export interface ToolDirectory {
  /** A tool of another server that this name could be taken for. */
  lookAlike(name: string, server: string): Neighbour | undefined;
  /** A tool of another server that a text calls so. */
  named(word: string, server: string): Neighbour | undefined;
}

const shortestName = 5;
const shortestSlip = 7;

export function indexTools(tools: readonly Neighbour[]): ToolDirectory {
  const bySkeleton = new Map<string, Neighbour[]>();
  const bySlip = new Map<string, Neighbour[]>();
  const byName = new Map<string, Neighbour[]>();
  const add = (map: Map<string, Neighbour[]>, key: string, tool: Neighbour): void => {
    const known = map.get(key);
    if (known === undefined) map.set(key, [tool]);
    else known.push(tool);
  };
  for (const tool of tools) {
    const { server, name } = tool;
    if (/[_.-]|[a-z][A-Z]/.test(name)) add(byName, name.toLowerCase(), tool);
    add(byName, `${server}__${name}`.toLowerCase(), tool);
    add(byName, `${server}.${name}`.toLowerCase(), tool);
    if (name.length < shortestName || name.length > longestName) continue;
    add(bySkeleton, skeletonOf(name), tool);
    if (name.length >= shortestSlip) for (const key of slipsOf(name.toLowerCase())) add(bySlip, key, tool);
  }
  return {
    lookAlike(name, server) {
      if (name.length < shortestName || name.length > longestName) return undefined;
      const plain = separated(name);
      const isOther = (other: Neighbour): boolean => other.server !== server && separated(other.name) !== plain;
      const same = bySkeleton.get(skeletonOf(name))?.find(isOther);
      if (same !== undefined || name.length < shortestSlip) return same;
      const lower = name.toLowerCase();
      return slipsOf(lower)
        .flatMap((key) => bySlip.get(key) ?? [])
        .find((other) => isOther(other) && isOneSlip(lower, other.name.toLowerCase()));
    },
    named: (word, server) => byName.get(word.toLowerCase())?.find((other) => other.server !== server),
  };
}

const longestName = 128;

/** Two servers may write the same name with other signs. */
const separated = (name: string): string => name.toLowerCase().replaceAll(/[\s_.-]+/g, "");

function slipsOf(name: string): string[] {
  return [name, ...Array.from(name, (_, index) => name.slice(0, index) + name.slice(index + 1))];
}

/** One letter doubled, dropped, swapped or mistyped. A plural and a number are names of their own. */
function isOneSlip(name: string, other: string): boolean {
  if (Math.abs(name.length - other.length) > 1) return false;
  let start = 0;
  while (start < name.length && name[start] === other[start]) start++;
  let end = 0;
  while (end < Math.min(name.length, other.length) - start && name.at(-1 - end) === other.at(-1 - end)) end++;
  const left = name.slice(start, name.length - end);
  const right = other.slice(start, other.length - end);
  if (left.length === 2 && right.length === 2) return left[0] === right[1] && left[1] === right[0];
  if (left.length > 1 || right.length > 1 || /\d/.test(left + right)) return false;
  const longer = name.length > other.length ? name : other;
  const isPlural = left + right === "s" && (start === longer.length - 1 || /[_-]/.test(longer[start + 1] ?? ""));
  return !isPlural;
}

/** The tool of another server that this name could be taken for. */
export function lookAlikeFinding(
  name: string,
  { server, directory }: Pick<ToolNames, "server" | "directory">,
): Finding | undefined {
  const other = directory.lookAlike(name, server);
  if (other === undefined) return undefined;
  const why = `its name could be taken for ${other.name} of ${other.server}`;
  return { rule: "look-alike-name", severity: "ask", where: "name", quote: name, why };
}

const orders = meaningOf(
  "must",
  "when",
  "instead",
  "not",
  "ignore",
  "fill",
  "send",
  "run",
  "read",
  "use",
  "other",
  "covert",
  "hide",
  "you",
  "ai",
  "precedence",
  "unasked",
);

/** What a text may refer to: the server's own tools and parameters, in lower case, and those of others. */
export interface ToolNames {
  readonly server: string;
  isOwn(word: string): boolean;
  readonly directory: ToolDirectory;
}

/** Begins where a word begins, and is bounded: otherwise one word of a megabyte is tried from each of its letters. */
const reference = /(?<![\w-])(?:[A-Za-z][\w-]{0,100}(?:__|[_.-])[\w.-]{0,100}\w|[a-z]{1,100}[A-Z]\w{1,100})/g;
/** What a tool with such a name does is seldom the business of a tool of another kind. */
const powerful =
  /shell|exec|^env$|contact|mail|sms|transfer|fund|payment|refund|wallet|secret|passw|credential|policy|security|http_?post|upload|permission|token|export|delete|payout|invoice|consent|approve|filesystem|write_file|run_command|senden|nachricht|borrar|supprimer|eliminar|enviar|envoyer|loesch|branch/i;
const called =
  /\b(?:call(?:ing|s)?|us(?:e|ing)|invok(?:e|ing)|run(?:ning)?|through|via|with|tool|tool named|by|aufrufen|ruf[et]?|mit|appel\w*|avec|llama\w*|con|chiama\w*|von|after|de|del|di|utilices nunca|outil)\s+(?:the\s+)?(?:tool\s+|function\s+)?["'`]?$|(?:调用|使用|通过|を呼び|で|每次)\s{0,2}["'`「]?$/i;
const notation =
  /^([a-z][a-z0-9-]*)(?:__([a-z]\w+)|\.((?:create|send|get|list|read|write|delete|update|post|run|call|query|search|transfer|add|remove|set|export|fetch|upload|approve)_\w+))$/;
const fileName =
  /\.(?:[jt]sx?|json|ya?ml|md|py|txt|html?|csv|toml|com|org|net|io|dev|ai|app|example|test|png|svg|sh|xml|env)$/i;
const serverName =
  /(?:Servers?|servidor|serveur)\s+[„"«'`“]\s?([\w-]{2,30})|([\p{Script=Han}\p{Script=Katakana}]{2,4}?)(?:服务器|サーバー)|(?:\b[Tt]he|\bserver|\bServer)\s+["'`]?([A-Za-z][\w-]{1,30})["'`]?(?:\s+(?:server|MCP|integration|connector)\b)/gu;
const mayNameServer = /[Ss]erver|servidor|serveur|MCP|integration|connector|服务器|サーバー/;
const plainServers =
  /^(?:this|that|the|mcp|own|our|your|same|remote|local|web|http|https|database|db|sql|file|dev|proxy|mail|dns|each|any|another|other|new|target|host|source|client|home|test|app|application|api|backend|build|game|git|rest|default|current|given|specified|selected|running|language|development|production|media|upstream|configured|connected|first|second|virtual|managed|parent|single|server|whole|hosted|self-hosted|本|该|此|当前|远程|本地|云|リモート|ローカル|当)$|^(?:本|该|此|当|远程|本地)/i;

/** Words about a tool of another server that are more than a mention. */
export function foreignToolFinding(
  text: string,
  where: string,
  topic: string,
  { server, isOwn, directory }: ToolNames,
): Finding | undefined {
  for (const match of text.matchAll(reference)) {
    const [word] = match;
    const lower = word.toLowerCase();
    if (isOwn(lower) || fileName.test(word)) continue;
    const other = directory.named(word, server);
    const parts = notation.exec(word);
    const isNoted =
      parts !== null && parts[1] !== server.toLowerCase() && !isOwn((parts[2] ?? parts[3])!.toLowerCase());
    const isPowerful =
      /^[a-z]+(?:_[a-z]+)+$/.test(word) &&
      called.test(text.slice(Math.max(0, match.index - 30), match.index)) &&
      powerful.test(word) &&
      !sharesWord(word, topic);
    if (other === undefined && !isNoted && !isPowerful) continue;
    if (!isOrder(text, match.index, word.length, orders)) continue;
    const name = other === undefined ? word : `${other.name} of ${other.server}`;
    return {
      rule: "foreign-tool",
      severity: "ask",
      where,
      quote: quoteAt(text, match.index, match.index + word.length),
      why: `it tells the model how to use ${name}`,
    };
  }
  if (!mayNameServer.test(text)) return undefined;
  for (const match of text.matchAll(serverName)) {
    const [whole, ...names] = match;
    const name = names.find((each) => each !== undefined) ?? "";
    if (plainServers.test(name) || name.toLowerCase() === server.toLowerCase() || topic.includes(name.toLowerCase()))
      continue;
    if (!isOrder(text, match.index, whole.length, strictOrders)) continue;
    return {
      rule: "foreign-tool",
      severity: "ask",
      where,
      quote: quoteAt(text, match.index, match.index + whole.length),
      why: `it tells the model how to use the tools of ${name}`,
    };
  }
  return undefined;
}

/** What is left to the user, or merely possible, is no order unless it insists, or is about secrets or an address. */
const offered =
  /\bif (?:the )?(?:user|you|they|it|one)\b|\bcan\b|\bmay\b|\bcould\b|\bwants?\b|complement|optional|\bfalls\b|möchte|\bkann\b|souhaite|\bpeut\b|desea|\bpuede|如果用户|可以|可用|希望すれば|できます|れます|場合は/i;
const strictOrders = meaningOf(
  "must",
  "instead",
  "not",
  "ignore",
  "covert",
  "precedence",
  "unasked",
  "conspiracy",
  "toolreply",
  "secret",
  "secretfile",
  "history",
  "system",
  "address",
  "url",
  "when",
);
const insistent = meaningOf(
  "must",
  "covert",
  "precedence",
  "unasked",
  "conspiracy",
  "secret",
  "secretfile",
  "history",
  "system",
  "address",
  "url",
);

function isOrder(text: string, at: number, length: number, kind: Meaning): boolean {
  const around = text.slice(Math.max(0, at - 160), at + length + 200);
  const words = readWords(plainLetters(around));
  if (words.filter(({ meaning }) => isAnyOf(meaning, orders)).length < 2) return false;
  const wanted = offered.test(around) ? insistent : kind;
  return words.some(({ meaning }) => isAnyOf(meaning, wanted));
}

const sharesWord = (name: string, topic: string): boolean =>
  name
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[_.-]+/)
    .some((part) => part.length > 3 && topic.includes(part.slice(0, 6)));
