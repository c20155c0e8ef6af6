import { type Finding, quoteAt, type Severity } from "./finding.ts";
import { isCited } from "./is-cited.ts";
import { isAnyOf } from "./lexicon/lexicon.ts";
import {
  type CompiledSaying,
  compileSaying,
  findSaying,
  type IndexedWords,
  indexWords,
  meaningIn,
} from "./match-words.ts";
import { type ReadText, readScreenedText } from "./read-text.ts";
import type { WordingRule } from "./rules/wording-rule.ts";
import { wordingRules } from "./rules/wording.ts";

export type TextSubject = "definition" | "result";

interface CompiledRule {
  readonly rule: WordingRule;
  readonly severity: Severity;
  readonly sayings: readonly CompiledSaying[];
}

const compiled = new Map<TextSubject, readonly CompiledRule[]>();

function rulesFor(subject: TextSubject): readonly CompiledRule[] {
  const known = compiled.get(subject);
  if (known !== undefined) return known;
  const rules = wordingRules.flatMap((rule): CompiledRule[] => {
    const severity = rule.reads[subject];
    if (severity === undefined) return [];
    const sayings = rule.sayings.filter(({ only = subject }) => only === subject).map(compileSaying);
    return [{ rule, severity, sayings }];
  });
  compiled.set(subject, rules);
  return rules;
}

/** What the rules on wording find in a text, whatever disguise it wears. A disguise makes of it a matter of structure. */
export function readWording(text: string, where: string, subject: TextSubject): readonly Finding[] {
  return readScreenedText(text).flatMap((reading) => readReading(reading, where, subject));
}

function readReading({ via, text, words }: ReadText, where: string, subject: TextSubject): readonly Finding[] {
  if (words.length < 2) return [];
  let english: boolean | undefined;
  let indexed: IndexedWords | undefined;
  const said = meaningIn(words);
  const found: Finding[] = [];
  for (const { rule, severity, sayings } of rulesFor(subject)) {
    for (const saying of sayings) {
      // Most texts lack a word of most sayings.
      if (!saying.all.every((meaning) => isAnyOf(meaning, said))) continue;
      const span = findSaying((indexed ??= indexWords(words)), saying);
      if (span === undefined || (saying.foreign === true && (english ??= isEnglish(text)))) continue;
      if (saying.unlessThen?.test(text.slice(span.end, span.end + 40)) === true) continue;
      if (saying.unlessNear?.test(text.slice(Math.max(0, span.start - 40), span.end + 40)) === true) continue;
      if (via === "plain" && isCited(text, span)) continue;
      const quote = quoteAt(text, span.start, span.end);
      if (via === "plain") found.push({ rule: rule.id, severity, where, quote, why: rule.why });
      else found.push(disguised(via, rule, { where, quote, subject }));
      break;
    }
  }
  return found;
}

interface Place {
  readonly where: string;
  readonly quote: string;
  readonly subject: TextSubject;
}

function disguised(via: string, { why }: WordingRule, { where, quote, subject }: Place): Finding {
  const severity = subject === "definition" ? "hold" : "mark";
  return { rule: "disguised", severity, where, quote, why: `${why}, and that is written in ${via}` };
}

const foreignWords =
  /(?<![a-z'])(?:der|das|und|nicht|ein|eine|dem|le|les|des|une|et|el|los|las|que|del|il|che|di|het|een|niet|jest|nie|sie|bir|bu|para|nao|pas|sans|je|vous|tu|du|wir|ist|mit|por|una)(?![a-z'])/g;

/** Most technical text is; other languages show by their letters, or by many of their smallest words. */
function isEnglish(text: string): boolean {
  if (/[\u0370-\u1fff\u3040-\uffff]/.test(text)) return false;
  return (text.match(foreignWords)?.length ?? 0) * 120 < text.length;
}
