import type { Tool } from "../../../mcp/messages/tool.ts";

/**
 * What a call means for where data goes. `private`: it reads what is the user's. `untrusted`: it brings what strangers wrote.
 * `outward`: it can send something out.
 */
export type FlowLabel = "private" | "untrusted" | "outward";

/** What is known about a tool. */
export interface LabelledTool {
  readonly source: string;
  readonly kind: "server" | "app" | "machine" | "agent";
  readonly tool: Tool;
}

const ofStrangers =
  /\b(?:web|website|page|pages|url|fetch|scrape|crawl|browser?|navigate|search_web|internet|rss|feed|inbox|mail|email|mails|emails|issue|issues|comment|comments|review|reviews|pull request|pull_request|forum|thread|tweet|post|posts|reddit|slack|discord|channel|webseite|seite|courriel|correo|pagina|网页|邮件|ページ|メール)\b/;
const ofUser =
  /\b(?:file|files|folder|directory|mail|email|mails|emails|inbox|mailbox|calendar|event|events|contact|contacts|note|notes|drive|document|documents|database|table|sql|query|memory|clipboard|screen|screenshot|password|secret|secrets|vault|customer|customers|invoice|invoices|payment|repository|private|patient|record|records|datei|dateien|kontakt|kalender|fichier|fichiers|archivo|archivos|contactos|文件|联系人|日程|ファイル|連絡先|予定)\b/;
const sending =
  /\b(?:send|sends|post|posts|publish|publishes|upload|uploads|share|shares|reply|replies|forward|forwards|comment|tweet|invite|invites|transfer|pay|webhook|push|pushes|submit|submits|create_issue|create_pull_request|http request|request|notify|email|message|sendet|senden|envoie|envoyer|envia|enviar|发送|发布|送信|投稿)\b/;
const takesAddress = /^(?:url|uri|link|href|address|endpoint|webhook|adresse|host|domain)$/i;

/** A guess from the annotations, the name and the first words of the description. The owner's configuration corrects it. */
export function guessLabels({ kind, tool }: LabelledTool): readonly FlowLabel[] {
  const { readOnlyHint: isReadOnly = false, openWorldHint: isOpen } = tool.annotations ?? {};
  const [first = ""] = (tool.description ?? "").split(/(?<=[.。])\s|\n/, 1);
  const about = `${tool.name.replaceAll(/([a-z])([A-Z])/g, "$1 $2")} ${first.slice(0, 200)}`
    .toLowerCase()
    .replaceAll(/[_-]+/g, " ");
  const properties = Object.keys(tool.inputSchema.properties ?? {});
  const isSending = sending.test(about) && !isReadOnly;
  const labels: FlowLabel[] = [];
  if (kind === "machine" || (ofUser.test(about) && !isSending)) labels.push("private");
  if (ofStrangers.test(about) && !isSending && isOpen !== false) labels.push("untrusted");
  if (isOpen !== false && (isSending || properties.some((name) => takesAddress.test(name)))) labels.push("outward");
  return labels;
}
