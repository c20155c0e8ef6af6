import { type DefinitionText, definitionTexts } from "./definition-texts.ts";
import { type Finding, isAtLeast, quoteAt, sortFindings } from "./finding.ts";
import { foreignToolFinding, indexTools, lookAlikeFinding, type ToolDirectory } from "./neighbours.ts";
import { isAboutConversations, offTopicFindings, topicOf } from "./off-topic.ts";
import { readWording } from "./read-wording.ts";
import { structureRules } from "./rules/structure.ts";

type Definition = Readonly<Record<string, unknown>>;

/** What else is offered: the other tools of the server, and those of other servers. */
export interface Surroundings {
  readonly server: string;
  readonly siblings: readonly Definition[];
  readonly names: ReadonlySet<string>;
  readonly directory: ToolDirectory;
}

export function surroundings(server: string, siblings: readonly Definition[], directory: ToolDirectory): Surroundings {
  return { server, siblings, names: new Set(siblings.map(({ name }) => String(name).toLowerCase())), directory };
}

const alone = surroundings("", [], indexTools([]));

/** What the rules find in a definition: a tool, a prompt, a resource, or `{ instructions }`. */
export function screenDefinition(definition: Definition, around: Surroundings = alone): readonly Finding[] {
  const texts = definitionTexts(definition);
  const found = readAlone(definition, texts);
  const name = typeof definition.name === "string" ? definition.name : "";
  const lookAlike = lookAlikeFinding(name, around);
  if (lookAlike !== undefined) found.push(lookAlike);
  const topic =
    `${around.server} ${name} ${typeof definition.title === "string" ? definition.title : ""}`.toLowerCase();
  const parameters = parameterNames(texts);
  const isOwn = (word: string): boolean =>
    word === name.toLowerCase() || around.names.has(word) || parameters.has(word);
  for (const { where, text, kind } of texts) {
    if (kind === "name" || kind === "parameter" || text.length < 16) continue;
    const foreign = foreignToolFinding(text, where, topic, {
      server: around.server,
      isOwn,
      directory: around.directory,
    });
    if (foreign !== undefined) found.push(foreign);
  }
  if (!found.some(({ severity }) => isAtLeast(severity, "ask")))
    found.push(...readTogether(definition, around.siblings));
  return found.length === 0 ? found : sortFindings(found);
}

function readAlone(definition: Definition, texts: readonly DefinitionText[]): Finding[] {
  const topic = topicOf(definition);
  const found = texts.flatMap((text) => readText(text));
  // A tool for conversations speaks of conversations.
  const kept = isAboutConversations(topic) ? found.filter(({ rule }) => rule !== "context-request") : found;
  return [...kept, ...offTopicFindings(topic, texts)];
}

/** Definitions repeat their texts: what is found in one depends on its kind alone. */
const known = new Map<string, readonly Finding[]>();
const maxKnown = 10_000;
const longestKnown = 4096;
const plainValue = /^[\w ,]{0,20}$/;

function readText(text: DefinitionText): readonly Finding[] {
  if (text.kind !== "parameter" && plainValue.test(text.text)) return none;
  const key = `${text.kind} ${text.text}`;
  const before = known.get(key);
  if (before !== undefined)
    return before.length === 0 ? before : before.map((finding) => ({ ...finding, where: text.where }));
  const found = [...readStructure(text), ...readWords(text)];
  if (known.size >= maxKnown) known.clear();
  if (key.length <= longestKnown) known.set(key, found.length === 0 ? none : found);
  return found;
}

const none: readonly Finding[] = [];

const parameterNames = (texts: readonly DefinitionText[]): ReadonlySet<string> =>
  new Set(texts.filter(({ kind }) => kind !== "description").map(({ text }) => text.toLowerCase()));

function readStructure({ kind, where, text }: DefinitionText): Finding[] {
  const found: Finding[] = [];
  for (const rule of structureRules) {
    const severity = rule.reads.definition;
    if (severity === undefined || (rule.of === "parameters" && kind !== "parameter")) continue;
    const hit = rule.find(text);
    if (hit === undefined) continue;
    found.push({
      rule: rule.id,
      severity: hit.severity ?? severity,
      where,
      quote: quoteAt(text, hit.start, hit.end),
      why: rule.why,
    });
  }
  return found;
}

const shortest = 12;

function readWords({ kind, where, text }: DefinitionText): readonly Finding[] {
  if (text.length < shortest) return [];
  if (kind === "description" || kind === "value") return readWording(text, where, "definition");
  // A name can be a sentence, too.
  return text.length > 24 ? readWording(text.replaceAll(/[_-]+/g, " "), where, "definition") : [];
}

/** Marks of a text that goes on in another one. */
const continued =
  /…|\.\.\.|\b(?:step|part|half|stanza|verse|schritt|teil|strophe|etape|étape|partie|paso|parte|passo|stap|krok|шаг|часть|adim)\s+(?:\d|one|two|three|eins|zwei|drei|une?|deux|trois|uno|dos|tres|due|tre)|goes on here|starts here|continues|first half|second half|^\s*\d+[.)]|第.{1,3}[步部]|接上|未完|続き|つづき|계속|단계/i;
const longestPart = 600;
/** With more tools, no one can have written them to be read in order. */
const maxSiblings = 300;

/** Texts that are harmless alone and an instruction together, in either order; only where one says that it goes on in another. */
function readTogether(definition: Definition, siblings: readonly Definition[]): readonly Finding[] {
  const { name } = definition;
  const own = descriptionOf(definition);
  if (own.length > longestPart || siblings.length < 2 || siblings.length > maxSiblings) return [];
  const goesOn = continued.test(own);
  const refers = referring.test(own);
  if (!goesOn && !refers) return [];
  const others = siblings
    .filter((each) => each.name !== name)
    .map((each) => ({ name: String(each.name), text: descriptionOf(each) }))
    .filter(
      ({ name: other, text }) =>
        text.length < longestPart && ((goesOn && continued.test(text)) || (refers && refersTo(own, other))),
    )
    .map(({ text }) => text);
  if (others.length === 0) return [];
  for (const together of [
    [...others, own],
    [own, ...others],
  ]) {
    const description = together
      .map((part) => part.replaceAll(/\s*(?:…+|\.{3}|[（(]?未完[)）]?)\s*/g, " ").trim())
      .join(" ");
    const joined = { name, description };
    const [finding] = readAlone(joined, definitionTexts(joined)).filter(({ severity }) => isAtLeast(severity, "ask"));
    if (finding !== undefined)
      return [
        {
          ...finding,
          rule: "split-instruction",
          where: "description, with other tools",
          why: `${finding.why}, split over several tools`,
        },
      ];
  }
  return [];
}

const referring = /\b(?:see|siehe|voir|véase|ver|vedi)\b|参照|参见|は/i;

const refersTo = (text: string, name: string): boolean =>
  text.includes(name) &&
  new RegExp(
    String.raw`(?:\b(?:see|siehe|voir|véase|ver|vedi)\b|参照|参见|は).{0,12}\b${name.replaceAll(/[^\w-]/g, ".")}\b|\b${name.replaceAll(/[^\w-]/g, ".")}\b.{0,4}(?:を参照|参照)`,
    "i",
  ).test(text);

const descriptionOf = ({ description }: Definition): string =>
  (typeof description === "string" ? description : "").slice(0, 2 * longestPart);
