import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Fault, type FaultCode, toFault } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import { createBodyIntake } from "../../core/http/body-intake.ts";
import { leavesBodyUnread } from "../../core/http/read-body.ts";
import { prepareToSend } from "../../core/http/turn-end.ts";
import { isRecord } from "../../core/is-record.ts";
import type { Log } from "../../core/log.ts";
import { type CallTarget, createConsoleCalls } from "./call-stream.ts";
import { type ConsoleFacts, judgeApiRequest, judgePageRequest } from "./console-gate.ts";
import { type ConsoleSession, createConsoleSessions } from "./console-sessions.ts";
import { type ConsoleEvent, createEventStreams, type EventStreams } from "./event-streams.ts";
import { createResultMedia } from "./result-media.ts";
import { commonHeaders, createPageServer, sendPlain } from "./serve-page.ts";
import { type LinkedHub, takeSignInLink } from "./sign-in-link.ts";
import { parseSignature, proofHeader, requestHeader } from "./signed-texts.ts";

export interface ConsoleDoorOptions {
  readonly home: Pick<Home, "file">;
  /** Where the built page is. */
  readonly folder: string;
  /** This hub, which takes only links that were made for it. */
  hub(): LinkedHub;
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
const largestSignIn = 4096;

export function openConsoleDoor(options: ConsoleDoorOptions): ConsoleDoor {
  const { home, log } = options;
  const sessions = createConsoleSessions({ tokenKey: () => options.tokenKey() });
  // Earlier versions kept sessions there, which outlived the hub.
  rm(home.file("console", "sessions.json"), { force: true }).catch((error: unknown) =>
    log.warn("could not remove the console sessions of an earlier version", { error }),
  );
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

  async function signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await intake.read(request, { holder: "sign-in", maxBytes: largestSignIn });
    const { code, nonce, proof } = isRecord(body) ? body : {};
    if (typeof code !== "string" || typeof nonce !== "string" || typeof proof !== "string" || nonce.length < 22)
      throw new Fault("bad-params", '"code", "nonce" and "proof" must be strings.');
    const link = await takeSignInLink(home, options.hub(), { code, nonce, proof });
    // Its owner can tell by this that someone else had it first.
    if (link === undefined) log.warn("a sign-in link of the console was refused: it was used before, or is too old");
    if (link === undefined) throw new Fault("denied", usedLink);
    const begun = sessions.begin(link, nonce);
    log.info("a browser has signed in to the console", { mayChange: link.terminal });
    sendResult(response, begun);
  }

  async function serveApi(name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: path = "" } = request;
    if (name === "signIn" && method === "POST") return signIn(request, response);
    const header = request.headers[requestHeader];
    const matched = sessions.match(header, { method, path });
    if (matched === undefined)
      return refuse(request, response, {
        status: 401,
        reason: header === undefined || parseSignature(header) !== undefined ? signedOut : oldPage,
      });
    response.setHeader(proofHeader, matched.proof);
    const { session } = matched;
    if (session === undefined) return refuse(request, response, { status: 401, reason: signedOut });
    if (request.method === "GET") {
      if (name === "events")
        return streams.open(session, response, { ...options.hello(), mayChange: session.terminal });
      const [, id] = /^media\/([\w-]{43})$/.exec(name) ?? [];
      if (id !== undefined) return media.serve(id, session, response);
      throw new Fault("not-found", "There is nothing at this address.");
    }
    const body = await readSigned(request, session, matched.bodyHash);
    if (name === "signOut") return sendResult(response, sessions.end(session));
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

  async function readSigned(request: IncomingMessage, session: ConsoleSession, bodyHash: string): Promise<unknown> {
    const hash = createHash("sha256");
    request.on("data", (chunk: Buffer) => hash.update(chunk));
    const body = await intake.read(request, { holder: session.id, maxBytes: largestBody });
    if (hash.digest("base64url") !== bodyHash)
      throw new Fault("unauthorized", "The body is not the one that was signed.");
    return body;
  }

  return {
    streams,
    async handle(request, response) {
      const path = (request.url ?? "").replace(/[?#].*$/s, "");
      const { method = "", headers, rawHeaders, httpVersion, socket } = request;
      const facts: ConsoleFacts = { peer: socket.remoteAddress, method, headers, rawHeaders, httpVersion };
      const [, apiName] = /^\/console\/api\/(.*)$/s.exec(path) ?? [];
      try {
        const verdict = apiName === undefined ? judgePageRequest(facts) : judgeApiRequest(facts);
        if (!verdict.pass) return refuse(request, response, verdict);
        if (apiName !== undefined) return await serveApi(apiName, request, response);
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

const signedOut = "You are not signed in. Run `clawport console` in a terminal.";
const oldPage = "This page belongs to an earlier version of the hub. Run `clawport console` for a new link.";
const usedLink = "This link was used already, or is too old. Run `clawport console` for a new one.";

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
