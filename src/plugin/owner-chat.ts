import { randomUUID } from "node:crypto";
import { messageOf } from "../core/fault.ts";
import type { Home } from "../core/files/home.ts";
import { readJsonFile } from "../core/files/state-file.ts";
import { writeFileAtomic } from "../core/files/write-file-atomic.ts";
import { isRecord } from "../core/is-record.ts";
import type { Log } from "../core/log.ts";
import type { Env } from "../core/process/child-env.ts";
import type { ChatCommandContext } from "./openclaw-api.ts";

/** Where the owner of OpenClaw last managed the servers: what happens to a sign-in is posted there. */
export interface OwnerChat {
  /** The owner typed a command in this chat. */
  note(context: ChatCommandContext): void;
  /** Posts to this chat, else to the last one. What can't be posted is kept for the next answer. */
  post(text: string, context?: ChatCommandContext): void;
  /** What could not be posted, once. */
  takeUnposted(): readonly string[];
}

export interface OwnerChatOptions {
  readonly home: Home;
  readonly env: Env;
  readonly homedir: string;
  readonly log: Log;
  readonly version: string;
}

type Place = Pick<ChatCommandContext, "sessionKey" | "channel" | "accountId" | "to" | "messageThreadId">;

const fileName = "openclaw-chat.json";
const maxUnposted = 20;
const postMs = 20_000;
/** OpenClaw's own pages and apps: their chats are in the gateway alone, and nothing is sent anywhere. */
const ownChannels: ReadonlySet<string | undefined> = new Set([undefined, "webchat", "internal"]);

export async function openOwnerChat(options: OwnerChatOptions): Promise<OwnerChat> {
  const { home, log } = options;
  const kept = await readJsonFile(home.file(fileName), parsePlace);
  let last = kept.state === "good" ? kept.value : undefined;
  let unposted: readonly string[] = [];
  let saving: Promise<unknown> = Promise.resolve();

  return {
    note(context) {
      const place = placeOf(context);
      if (JSON.stringify(place) === JSON.stringify(last)) return;
      last = place;
      saving = saving
        .then(() => writeFileAtomic(home.file(fileName), `${JSON.stringify(place)}\n`))
        .catch((error: unknown) => log.debug("could not remember the owner's chat", { error }));
    },
    post(text, context) {
      const place = context === undefined ? last : placeOf(context);
      void send(place, text, options).catch((error: unknown) => {
        log.info("could not post to the chat", { reason: messageOf(error) });
        unposted = [...unposted, text].slice(-maxUnposted);
      });
    },
    takeUnposted() {
      const texts = unposted;
      unposted = [];
      return texts;
    },
  };
}

function placeOf({ sessionKey, channel, accountId, to, messageThreadId }: Place): Place {
  return { sessionKey, channel, accountId, to, messageThreadId };
}

function parsePlace(value: unknown): Place {
  if (!isRecord(value)) throw new TypeError("this is no place of a chat");
  const textOf = (key: string): string | undefined => (typeof value[key] === "string" ? value[key] : undefined);
  const thread = value["messageThreadId"];
  return placeOf({
    sessionKey: textOf("sessionKey") ?? "",
    channel: textOf("channel"),
    accountId: textOf("accountId"),
    to: textOf("to"),
    messageThreadId: typeof thread === "number" ? thread : textOf("messageThreadId"),
  });
}

/** OpenClaw lets only its own plugins post, so this goes through the gateway's address, as from any program of its owner. */
async function send(place: Place | undefined, text: string, options: OwnerChatOptions): Promise<void> {
  if (place?.sessionKey === undefined) throw new TypeError("the owner has typed no command yet");
  const { env, homedir, log, version } = options;
  const [{ openGateway }, { resolveGatewayAddress }] = await Promise.all([
    import("../openclaw/open-gateway.ts"),
    import("../openclaw/locate-gateway.ts"),
  ]);
  const gateway = await openGateway({ address: await resolveGatewayAddress({ env, homedir }), log, version });
  const signal = AbortSignal.timeout(postMs);
  try {
    await gateway.connected(signal);
    const { sessionKey, channel, accountId, to, messageThreadId } = place;
    if (ownChannels.has(channel) || to === undefined)
      await gateway.request("chat.inject", { sessionKey, message: text }, { signal });
    else
      await gateway.request(
        "send",
        {
          to,
          channel,
          sessionKey,
          message: text,
          idempotencyKey: randomUUID(),
          ...(accountId !== undefined && { accountId }),
          ...(messageThreadId !== undefined && { threadId: String(messageThreadId) }),
        },
        { signal },
      );
  } finally {
    await gateway.close();
  }
}
