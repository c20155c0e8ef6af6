import { headers, type Msg, type MsgHdrs, type NatsConnection, type Subscription } from "@nats-io/transport-node";
import { Fault } from "../../../core/fault.ts";
import type { Log } from "../../../core/log.ts";
import { type Seal, sealHeader } from "./seal.ts";

/** Messages between the instances of one deployment: sealed on the way out, and refused if they are another's. */
export interface Channel {
  publish(subject: string, data: string, reply?: string): void;
  /** Rejects if no answer of ours comes within the time. */
  request(subject: string, data: string, timeoutMs: number): Promise<Msg>;
  /** Every answer of ours within the time. */
  requestMany(subject: string, data: string, withinMs: number): Promise<readonly Msg[]>;
  respond(request: Msg, data: string | Uint8Array): void;
  /**
   * A message that can't be handled is logged and dropped: an exception that left the callback would end the whole
   * connection for good, without a reconnect.
   */
  listen(subject: string, take: (message: Msg) => unknown, queue?: string): Subscription;
}

export interface ChannelOptions {
  readonly seal: Seal | undefined;
  readonly acceptUnsealed: boolean;
  readonly inboxPrefix: string;
  readonly log: Log;
}

export function createChannel(connection: NatsConnection, options: ChannelOptions): Channel {
  const { seal, acceptUnsealed, inboxPrefix, log } = options;
  const reportRefused = createRefusalReport(log);

  return {
    publish(subject, data, reply) {
      const sealed = seal?.make(aboutOf(subject, reply), data);
      connection.publish(subject, data, { ...(reply !== undefined && { reply }), ...headersOf(sealed) });
    },
    async request(subject, data, timeout) {
      const sealed = seal?.make(subject, data);
      const answer = await connection.request(subject, data, { timeout, ...headersOf(sealed) });
      if (isOurs(answer, aboutAnswer(sealed))) return answer;
      throw new Fault("unavailable", "The answer of another instance has no seal of this deployment.");
    },
    async requestMany(subject, data, maxWait) {
      const sealed = seal?.make(subject, data);
      const found: Msg[] = [];
      const answers = await connection.requestMany(subject, data, { strategy: "timer", maxWait, ...headersOf(sealed) });
      for await (const answer of answers) if (isOurs(answer, aboutAnswer(sealed))) found.push(answer);
      return found;
    },
    respond(request, data) {
      request.respond(data, headersOf(seal?.make(aboutAnswer(sealIn(request.headers)), data)));
    },
    listen: (subject, take, queue) =>
      connection.subscribe(subject, {
        ...(queue !== undefined && { queue }),
        callback: (error, message) => {
          if (error) return;
          try {
            // The server itself says that no one listens, without a seal.
            if (message.headers?.code === 503 || isOurs(message, aboutOf(message.subject, message.reply)))
              take(message);
          } catch (reason) {
            log.warn("a message of another instance could not be handled", { error: reason });
          }
        },
      }),
  };

  function isOurs(message: Msg, about: string): boolean {
    if (seal === undefined || acceptUnsealed) return true;
    if (seal.isOurs(sealIn(message.headers), about, message.data, "message")) return true;
    reportRefused("a message", message.subject);
    return false;
  }

  /** The inbox of a request is chosen by the library, after the seal was made. */
  function aboutOf(subject: string, reply = ""): string {
    return reply === "" || reply.startsWith(`${inboxPrefix}.`) ? subject : `${subject} ${reply}`;
  }
}

/** An answer belongs to one request, and to no other. */
function aboutAnswer(requestSeal: string | undefined): string {
  return `answer ${requestSeal ?? ""}`;
}

function headersOf(seal: string | undefined): { headers?: MsgHdrs } {
  if (seal === undefined) return {};
  const made = headers();
  made.set(sealHeader, seal);
  return { headers: made };
}

export function sealIn(found: MsgHdrs | undefined): string | undefined {
  return found?.get(sealHeader) || undefined;
}

const quietMs = 30_000;

/** Says at most twice a minute that something was refused: a sender of such messages can send many. */
export function createRefusalReport(log: Log): (what: string, where: string) => void {
  let quietUntil = 0;
  let kept = 0;
  return (what, where) => {
    kept++;
    if (Date.now() < quietUntil) return;
    quietUntil = Date.now() + quietMs;
    log.warn(
      `${what} on NATS was refused: it has no seal of this deployment, or clocks differ by more than a minute. See docs/proxy-instances.md`,
      { where, refused: kept },
    );
    kept = 0;
  };
}
