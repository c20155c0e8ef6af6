import type { IncomingMessage, ServerResponse } from "node:http";
import { Fault, type FaultCode, toFault } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import { createBodyIntake } from "../../core/http/body-intake.ts";
import { leavesBodyUnread } from "../../core/http/read-body.ts";
import { prepareToSend } from "../../core/http/turn-end.ts";
import { isRecord } from "../../core/is-record.ts";
import type { Log } from "../../core/log.ts";
import { type CallTarget, createConsoleCalls } from "./call-stream.ts";
import {
  type ConsoleFacts,
  type ConsoleVerdict,
  cookiesNamed,
  judgeApiRequest,
  judgeLogin,
  judgePageRequest,
} from "./console-gate.ts";
import { type ConsoleSession, openConsoleSessions } from "./console-sessions.ts";
import { type ConsoleEvent, createEventStreams, type EventStreams } from "./event-streams.ts";
import { createResultMedia } from "./result-media.ts";
import { commonHeaders, createPageServer, sendPlain } from "./serve-page.ts";
import { takeSignInLink } from "./sign-in-link.ts";

export interface ConsoleDoorOptions {
  readonly home: Pick<Home, "file">;
  /** Where the built page is. */
  readonly folder: string;
  /** The port that browsers connect to; part of the cookie's name, since cookies are shared between ports. */
  port(): number;
  /** Changes with the main token, whose reset ends all sessions. */
  tokenKey(): string | undefined;
  /** Answers a control verb. A session that no terminal made may only look. */
  api(verb: string, body: unknown, rights: "look" | "person"): Promise<unknown>;
  readonly calls: CallTarget;
  /** What the page learns first. */
  hello(): ConsoleEvent;
  /** Called with true whenever the page is opened, and with false when it is no longer open anywhere. */
  onUse(inUse: boolean): void;
  /** Why a session that may only look was refused. */
  readonly onlyLooks: string;
  readonly log: Log;
  readonly heartbeatMs?: number | undefined;
}

/** The console: a page for browsers on this machine, and the API that it uses. */
export interface ConsoleDoor {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  readonly streams: Pick<EventStreams, "send" | "size" | "hasPerson">;
  close(): void;
}

const largestBody = 8 * 1024 * 1024;
const secretHeader = "x-clawport-console";
/** The server ends sessions sooner than the browser forgets them. */
const cookieSeconds = 7 * 24 * 60 * 60;

export function openConsoleDoor(options: ConsoleDoorOptions): ConsoleDoor {
  const { home, log } = options;
  const sessions = openConsoleSessions({ home, tokenKey: () => options.tokenKey(), log });
  const intake = createBodyIntake({ memory: { max: 8 * largestBody, maxOfOne: 4 * largestBody } });
  const servePage = createPageServer(options.folder);
  const media = createResultMedia();
  const { isValid } = sessions;
  const calls = createConsoleCalls({ target: options.calls, media, isValid, log });
  const streams = createEventStreams({
    isValid,
    onUse(inUse) {
      // The page that showed them is gone.
      if (!inUse) media.clear();
      options.onUse(inUse);
    },
    heartbeatMs: options.heartbeatMs,
  });
  const cookieName = (): string => `clawport-console-${options.port()}`;

  async function logIn(code: string, response: ServerResponse): Promise<void> {
    const link = await takeSignInLink(home, code);
    // Its owner can tell by this that someone else had it first.
    if (link === undefined) log.warn("a sign-in link of the console was refused: it was used before, or is too old");
    if (link === undefined)
      return sendPlain(
        response,
        403,
        "This link was used already, or is too old. Run `clawport console` for a new one.\n",
      );
    const cookie = await sessions.begin(link);
    log.info("a browser has signed in to the console", { mayChange: link.terminal });
    response.writeHead(303, {
      ...commonHeaders,
      location: "/console/",
      "set-cookie": `${cookieName()}=${cookie}; Path=/console/; HttpOnly; SameSite=Strict; Max-Age=${cookieSeconds}`,
      "cache-control": "no-store",
      "content-length": 0,
    });
    response.end();
  }

  async function sessionOf({ headers }: IncomingMessage): Promise<ConsoleSession | undefined> {
    const secret = headers[secretHeader];
    if (typeof secret !== "string" || secret.length > 200) return undefined;
    return sessions.match(cookiesNamed(cookieName(), headers), secret);
  }

  async function serveApi(name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const session = await sessionOf(request);
    if (session === undefined) return refuse(request, response, signedOut);
    if (request.method === "GET") {
      if (name === "events")
        return streams.open(session, response, { ...options.hello(), mayChange: session.terminal });
      const [, id] = /^media\/([\w-]{43})$/.exec(name) ?? [];
      if (id !== undefined) return media.serve(id, session, response);
      throw new Fault("not-found", "There is nothing at this address.");
    }
    const body = await intake.read(request, { holder: session.id, maxBytes: largestBody });
    if (name === "signOut") return sendResult(response, await sessions.end(session));
    if (name === "call" || name === "answer") {
      if (!session.terminal) throw new Fault("denied", options.onlyLooks);
      if (name === "call") return calls.run(body, session, response);
      return sendResult(response, calls.answer(body, session));
    }
    if (name === "tokens.reset" && session.terminal) sessions.keepThroughReset(session);
    // The link was made at a terminal, so what is allowed here is allowed by a person.
    const isPerson = session.terminal && isRecord(body);
    const result = await options.api(
      name,
      isPerson ? { ...body, confirmed: true } : body,
      session.terminal ? "person" : "look",
    );
    sendResult(response, result);
  }

  return {
    streams,
    async handle(request, response) {
      const path = (request.url ?? "").replace(/[?#].*$/s, "");
      const { method = "", headers, rawHeaders, httpVersion, socket } = request;
      const facts: ConsoleFacts = { peer: socket.remoteAddress, method, headers, rawHeaders, httpVersion };
      const [, apiName] = /^\/console\/api\/(.*)$/s.exec(path) ?? [];
      const [, code] = /^\/console\/login\/(.*)$/s.exec(path) ?? [];
      try {
        const verdict = judge(facts, apiName, code);
        if (!verdict.pass) return refuse(request, response, verdict);
        if (apiName !== undefined) return await serveApi(apiName, request, response);
        if (code !== undefined) return await logIn(code, response);
        if (path === "/console") return redirectToPage(response);
        await servePage(request, response, path.slice("/console/".length));
      } catch (error) {
        sendFault(request, response, toFault(error), log);
      }
    },
    close() {
      calls.close();
      streams.close();
      media.clear();
      intake.close();
    },
  };
}

function judge(facts: ConsoleFacts, apiName: string | undefined, code: string | undefined): ConsoleVerdict {
  if (apiName !== undefined) return judgeApiRequest(facts);
  return code === undefined ? judgePageRequest(facts) : judgeLogin(facts);
}

const signedOut = { status: 401, reason: "You are not signed in. Run `clawport console` in a terminal." };

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, reason }: { readonly status: number; readonly reason: string },
): void {
  // The body of a refused request is not read, and the rest of it could be taken for the next request.
  if (request.method !== "GET") response.setHeader("connection", "close");
  if (!request.url?.startsWith("/console/api/")) return sendPlain(response, status, `${reason}\n`);
  sendJson(response, status, { error: { code: refusalCodes[status] ?? "bad-request", message: reason } });
}

const refusalCodes: Readonly<Record<number, FaultCode>> = { 401: "unauthorized", 403: "denied", 405: "bad-method" };

function redirectToPage(response: ServerResponse): void {
  response.writeHead(308, { ...commonHeaders, location: "/console/", "content-length": 0 });
  response.end();
}

function sendResult(response: ServerResponse, result: unknown): void {
  sendJson(response, 200, { result: result ?? null });
}

function sendFault(request: IncomingMessage, response: ServerResponse, fault: Fault, log: Log): void {
  const { code, message, detail, row } = fault;
  if (code === "internal") log.error("the console could not answer", { error: fault.cause ?? fault });
  if (response.headersSent) return void response.destroy();
  if (leavesBodyUnread(request, fault)) response.setHeader("connection", "close");
  sendJson(response, row.http, { error: { code, message, detail } });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent || response.destroyed) return;
  prepareToSend();
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...commonHeaders,
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
  });
  response.end(text);
}
