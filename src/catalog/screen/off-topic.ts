import type { DefinitionText } from "./definition-texts.ts";
import { type Finding, quoteAt } from "./finding.ts";
import { isAnyOf, type Meaning, meaningOf } from "./lexicon/lexicon.ts";
import { readWords, type Word } from "./lexicon/read-words.ts";
import { plainLetters } from "./plain-letters.ts";
import { readScreenedText } from "./read-text.ts";

const wanted = meaningOf("secret", "secretfile", "history", "system", "personal");
const turned = meaningOf("not");
const transfers = meaningOf("read", "send", "fill", "tell");
const people = meaningOf("user", "you", "ai");
const secrets = meaningOf("secret");
const handing = meaningOf("fill", "send");

/** What a tool may be about, so that speaking of such things is its business. */
const kinds: readonly { readonly wanted: Meaning; readonly topic: RegExp }[] = [
  {
    wanted: meaningOf("secret", "secretfile"),
    topic:
      /secret|passw|credential|token|\bkeys?\b|api.?key|auth|login|log.?in|sign.?in|\bssh|vault|\benv|environment|variable|config|dotenv|oauth|cookie|wallet|certificate|encrypt|decrypt|\bsign\b|session|connect|deploy|payment|card|bank|account|registry|variable|kube|aws|azure|redact|mask|scan|leak|otp|2fa|identity|hash|schlussel|passwort|anmeld|zugang|geheim|umgebung|cle\b|connexion|mot de passe|identifiant|contrasena|clave|credencial|sesion|chiav|password|密|凭|令牌|登录|环境|パスワード|鍵|認証|トークン|環境変数|ログイン|비밀번호|인증|토큰|парол|ключ|токен/,
  },
  {
    wanted: meaningOf("history", "system"),
    topic:
      /conversation|chat|message|history|transcript|dialog|thread|prompt|assistant|\bllm|\bai\b|agent|model|memory|support|inbox|slack|session|meeting|call recording|gesprach|unterhaltung|verlauf|nachricht|conversacion|mensaje|historial|messag|对话|聊天|消息|提示|会话|会話|チャット|メッセージ|プロンプト|履歴|대화|메시지|переписк|сообщен|диалог/,
  },
  {
    wanted: meaningOf("personal"),
    topic:
      /contact|mail|inbox|address|file|folder|director|document|attachment|photo|picture|image|clipboard|calendar|location|phone|patient|health|medic|bank|customer|crm|person|privacy|gdpr|redact|anonym|pii|drive|note|browser|message|record|profile|user|kontakt|datei|ordner|adress|fichier|dossier|pieces|donnees|archivo|carpeta|datos|adjunt|contatt|dati|联系|通讯|邮|文件|个人|附件|隐私|連絡|メール|ファイル|個人|添付|フォルダ|연락|메일|파일|개인|файл|контакт|почт/,
  },
];

/** Names under which a tool takes the key of its own service. */
const credentialName =
  /^(?:.*_)?(?:password|passwd|pass|pwd|token|api_?key|apikey|access_?key|secret|auth|authorization|credentials?|client_secret|private_?key(?:_?path)?|key|cookie|connection_?string|passphrase|pin|otp|code)$/i;

/** What no tool of another kind has a use for. */
const precious =
  /seed phrase|recovery (?:phrase|key|word)|word recovery|mnemonic|助记词|(?:online|net)?bank(?:ing)? ?(?:password|login|pin)|onlinebanking|ネットバンキング|\bcv[vc]\b|kreditkarte|carte bancaire|tarjeta de credito|信用卡|クレジットカード|private keys?\b|私钥|秘密鍵|identity card|passport number/;

/** A place to take something from, or another purpose than the tool's: that is how a parameter collects. */
const elsewhere =
  /look (?:in|for)|found in|from ~|~\/|as the user typed|contents? of|text of|that you can read|for (?:entropy|telemetry|diagnostics|analytics|audit|quota|verification|the licen[cs]e)|from the (?:process|keychain|password manager|browser|user's)|process environment|current profile|unredacted|verbatim|inhalt|contenu|contenido|contenuto|内容|全文|の内容|내용|содерж/;

function isCollected(name: string, reading: string, word: Word, near: readonly Word[]): boolean {
  if (/id$/i.test(name)) return false;
  const { meaning } = word;
  if (isAnyOf(meaning, files))
    return elsewhere.test(reading) || near.some((other) => isAnyOf(other.meaning, transfers));
  const ofPeople = near.some((other) => Math.abs(other.at - word.at) < 9 && isAnyOf(other.meaning, people));
  if (precious.test(reading)) return true;
  if (isAnyOf(meaning, secrets))
    return !credentialName.test(name)
      ? ofPeople ||
          elsewhere.test(reading) ||
          (!/whether|true|false|if set|\bob\b|indique si/.test(reading) &&
            near.some((other) => other.start !== word.start && isAnyOf(other.meaning, handing)))
      : /look (?:in|for)|~\/|\.env|if the user has not/.test(reading);
  return (
    ofPeople ||
    elsewhere.test(reading) ||
    near.some((other) => isAnyOf(other.meaning, transfers)) ||
    /\b(?:all|every|entire|complete|full|whole|verbatim)\b|vollstandig|gesamt|wortlaut|complet|entier|enter[oa]|inter[oa]|todo|全|完整|すべて|그대로|전체|полн|весь/.test(
      reading,
    )
  );
}

function isRequested(reading: string, word: Word, near: readonly Word[]): boolean {
  const moved = near.some((other) => other.start !== word.start && isAnyOf(other.meaning, transfers));
  const commanded = near.some(
    (other) =>
      isAnyOf(other.meaning, commanding) || (isAnyOf(other.meaning, transfers) && opensSentence(reading, other.start)),
  );
  if (isAnyOf(word.meaning, files)) return moved || commanded;
  return (
    moved &&
    (commanded || word.sentence > 0) &&
    (isAnyOf(word.meaning, secrets) ? commanded || near.some((other) => isAnyOf(other.meaning, people)) : true)
  );
}

/** A verb at the beginning is an order. The first sentence says what the tool does, and may begin so. */
const opensSentence = (reading: string, start: number): boolean =>
  start > 0 && /[.!?;。！？；\n]\s{0,3}$/.test(reading.slice(Math.max(0, start - 5), start));

/**
 * Words that ask for secrets, for the conversation or for what is the user's own, in a tool that is about something else. Whether
 * they are polite, and what reason they give, does not matter.
 */
export function offTopicFindings(topic: string, texts: readonly DefinitionText[]): readonly Finding[] {
  const found: Finding[] = [];
  for (const { kind, where, text } of texts) {
    if (kind === "name" || text.length < 8 || (kind !== "parameter" && !mayWant(text))) continue;
    const isParameter = where.includes("properties.") || where.startsWith("arguments");
    const name =
      where
        .replace(/\.(?:description|title|default)$/, "")
        .split(".")
        .at(-1) ?? "";
    if (kind === "parameter") {
      const words = plainLetters(text.replaceAll(/([a-z])([A-Z])/g, "$1 $2")).replaceAll(/[_-]+/g, " ");
      const said = readWords(words).find(({ meaning }) => isAnyOf(meaning, parameterWanted));
      const isSentence = words.split(" ").length >= 4 && collectingName.test(words);
      if (isSentence && !isTopic(collected, topic))
        found.push(findingAt(where, words, { start: 0, end: words.length }, "collecting-parameter"));
      else if (said !== undefined && !isTopic(said.meaning, topic) && !credentialName.test(text))
        found.push(findingAt(where, words, said, "collecting-parameter"));
      continue;
    }
    for (const { text: reading, words } of readScreenedText(text)) {
      for (const word of words) {
        if (!isAnyOf(word.meaning, wanted) || isTopic(word.meaning, topic) || isNegated(words, word)) continue;
        const near = words.filter((other) => other.sentence === word.sentence && Math.abs(other.at - word.at) < 16);
        const isAsked = isParameter ? isCollected(name, reading, word, near) : isRequested(reading, word, near);
        if (!isAsked) continue;
        found.push(findingAt(where, reading, word, isParameter ? "collecting-parameter" : "off-topic-request"));
        break;
      }
    }
  }
  return found;
}

const mayWant = (text: string): boolean =>
  readScreenedText(text).some(({ words }) => words.some(({ meaning }) => isAnyOf(meaning, wanted)));

/** A name that says what to put in. */
const collectingName =
  /passwords?|secrets?|credentials|env file|cookies|other (?:tools?|servers?)|contents? of|chat history|conversation|system prompt|tokens? (?:of|from)|\bhere$/;
const collected = meaningOf("secret");
const refused = meaningOf("failure", "conflict");
const parameterWanted = meaningOf("history", "system", "secretfile");
const files = meaningOf("secretfile");
const commanding = meaningOf("must", "when", "you", "ai", "ask");

function findingAt(where: string, text: string, { start, end }: Pick<Word, "start" | "end">, rule: string): Finding {
  const why =
    rule === "collecting-parameter"
      ? "it has a parameter for the conversation, for secrets or for what is the user's own"
      : "it asks for things that have nothing to do with what the tool is for";
  return { rule, severity: "ask", where, quote: quoteAt(text, start, end), why };
}

export const isAboutConversations = (topic: string): boolean => kinds[1]!.topic.test(topic);

const isTopic = (meaning: Meaning, topic: string): boolean =>
  kinds.some((each) => isAnyOf(meaning, each.wanted) && each.topic.test(topic));

function isNegated(words: readonly Word[], word: Word): boolean {
  if (
    words.some(
      (other) =>
        other.sentence === word.sentence &&
        other.at > word.at &&
        other.at - word.at < 4 &&
        isAnyOf(other.meaning, refused),
    )
  )
    return true;
  return words.some(
    (other) =>
      other.sentence === word.sentence &&
      other.at < word.at &&
      word.at - other.at < 25 &&
      isAnyOf(other.meaning, turned),
  );
}

/** Its name, its title, and its first sentence unless that gives orders. */
export function topicOf(definition: Readonly<Record<string, unknown>>): string {
  const [name, title, description] = [definition.name, definition.title, definition.description].map((text) =>
    typeof text === "string" ? text : "",
  ) as [string, string, string];
  const [sentence = ""] = description.split(/(?<=[.!?。！？])\s|\n/, 1);
  const first = plainLetters(sentence.slice(0, 300));
  const isPlain = !readWords(first).some(({ meaning }) => isAnyOf(meaning, commands));
  return (
    plainLetters(`${name.replaceAll(/([a-z])([A-Z])/g, "$1 $2")} ${title.slice(0, 80)}`).replaceAll(/[_-]+/g, " ") +
    (isPlain ? ` ${first}` : "")
  );
}

const commands = meaningOf("must", "you", "ai");
