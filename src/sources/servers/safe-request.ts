import type { CallContext } from "../../catalog/call-context.ts";
import type { Caller } from "../../catalog/caller.ts";
import { Fault, isFault, toFault } from "../../core/fault.ts";
import { abortOf } from "../../core/lazy-abort.ts";
import type { Span } from "../../core/telemetry/telemetry.ts";
import { type TraceFields, traceFields } from "../../core/telemetry/trace-context.ts";
import { orAborted, settledWithin } from "../../core/wait.ts";
import { askableOf, tasksExtension } from "../../mcp/messages/client-facts.ts";
import { carriedExtensions } from "../../mcp/messages/extensions.ts";
import { callerEraKey, forwardedMeta, identityKey, stripEnvelope } from "../../mcp/messages/envelope.ts";
import { type Params, RpcFault } from "../../mcp/messages/json-rpc.ts";
import type { TaskSupport } from "../../mcp/messages/task.ts";
import type { ToolAnnotations } from "../../mcp/messages/tool.ts";
import { answerServer, type SampleForServer } from "./answer-server.ts";
import { TaskFault } from "./connection/follow-task.ts";
import { judgeRetry } from "./connection/judge-retry.ts";
import { sendCall, type TaskTerms } from "./connection/send-call.ts";
import type { Question } from "../../mcp/messages/interim-messages.ts";
import { type RequiredUrl, requiredUrls } from "./connection/url-elicitations.ts";
import { missingScopeOf, withSignInAddress } from "./oauth/connection-auth.ts";
import { callLimits, type ServerDefinition } from "./definition.ts";
import { redactTexts } from "./server-secrets.ts";
import type { SharedServer } from "./shared-servers.ts";
import { traceUpstream } from "./upstream-span.ts";
import type { CallOptions } from "../../mcp/client/call-options.ts";

export interface SafeRequestOptions {
  /** Answers `sampling/createMessage` if the caller can't. */
  readonly sample?: SampleForServer | undefined;
  /** Whether `sample` has a model to answer with; true unless given. */
  readonly hasModel?: boolean | undefined;
  /** Says who asked for a call, to servers that are told. */
  identify?(server: ServerDefinition, call: Params, caller: Caller): string;
  /** The server is a hub: each call is forwarded on behalf of its client. */
  readonly isRelay?: boolean | undefined;
  /**
   * Signs in for a call that needs it; `scope` is what it lacks, undefined if no call works. Returns whether the call can
   * be sent again, or the address where its user can sign in meanwhile.
   */
  stepUp?(server: string, scope: string | undefined, context: CallContext): Promise<boolean | URL>;
}

/** Sends a caller's request, and repeats it only if that can do no harm. */
export type SafeRequest = (
  method: string,
  params: Params,
  context: CallContext,
  annotations: ToolAnnotations | undefined,
  call?: CallExtras,
) => Promise<Params>;

/** What only the call of a tool has. */
export interface CallExtras {
  readonly headers: Record<string, string> | undefined;
  readonly taskSupport: TaskSupport;
}

interface CallerRequest {
  readonly method: string;
  readonly params: Params;
  readonly context: CallContext;
  readonly annotations: ToolAnnotations | undefined;
  readonly call: CallExtras | undefined;
  readonly options: CallOptions;
}

/** Why a request failed. In the second and third case the server refused it before it ran. */
type Failure =
  | { readonly kind: "repeatable" }
  | { readonly kind: "lacks-scope"; readonly fault: unknown; readonly scope: string }
  | { readonly kind: "needs-urls"; readonly fault: unknown; readonly urls: readonly RequiredUrl[] }
  | { readonly kind: "final"; readonly fault: unknown };

/** How often a call may get more permissions. */
const maxStepUps = 2;
/** Of this hub towards a server. A task is waited for if the caller does not know tasks. */
const ownExtensions = { [tasksExtension]: {} };

/** How often a call is sent again because of URLs that the user must open. */
const maxUrlRounds = 5;
/** How long a server may take to report that the user is done. It need not report it at all. */
const urlWaitMs = 15_000;

export function createSafeRequest(
  definition: ServerDefinition,
  server: Pick<SharedServer, "connection" | "requestedLogLevel" | "urlElicitations">,
  safeOptions: SafeRequestOptions,
): SafeRequest {
  const { sample, hasModel = sample !== undefined, isRelay = false } = safeOptions;
  const { connection, requestedLogLevel, urlElicitations } = server;
  const limits = callLimits(definition);

  return async (method, params, context, annotations, call) => {
    const plain = optionsOf(context, call?.headers);
    const options = call === undefined ? plain : withIdentity(plain, params, context);
    const request: CallerRequest = { method, params, context, annotations, call, options };
    requestedLogLevel.note(context.logLevel);
    try {
      return stripEnvelope(await send(request));
    } catch (error) {
      return stripEnvelope(await sendAgain(request, error));
    }
  };

  function send(request: CallerRequest): Promise<Params> {
    const { span } = request.context;
    return span === undefined ? sendWith(request, request.options) : sendTraced(request, span);
  }

  function sendTraced(request: CallerRequest, span: Span): Promise<Params> {
    const { method, params, context, options } = request;
    return traceUpstream(span, definition, method, params, ({ traceparent }) =>
      sendWith(request, {
        ...options,
        trace: traceFields({ traceparent, tracestate: context.tracestate, baggage: context.baggage }),
      }),
    );
  }

  function sendWith({ method, params, context, call }: CallerRequest, options: CallOptions): Promise<Params> {
    if (call === undefined) return connection.request(method, params, options);
    return sendCall(connection, params, options, taskTerms(context, call));
  }

  /** Repeats a request as long as there is a reason to. Throws why it failed if there is none. */
  async function sendAgain(request: CallerRequest, first: unknown): Promise<Params> {
    const { method, context } = request;
    let isRepeated = false;
    let stepUps = 0;
    let urlRounds = 0;
    const opened: OpenedPages = { pages: new Set(), done: [] };
    for (let error = first; ;) {
      const failure = failureOf(request, error, isRepeated);
      isRepeated = failure.kind === "repeatable";
      switch (failure.kind) {
        case "repeatable":
          break;
        case "lacks-scope": {
          const { fault, scope } = failure;
          const signedIn = stepUps++ < maxStepUps && (await safeOptions.stepUp?.(definition.name, scope, context));
          if (signedIn instanceof URL) throw withSignInAddress(toFault(fault), signedIn);
          if (signedIn !== true) throw fault;
          break;
        }
        case "needs-urls": {
          const { fault, urls } = failure;
          // A client of 2025-11-25 knows this error and calls again itself.
          const mayAsk = context.era !== "legacy" && method !== "completion/complete";
          if (!mayAsk) noteUrls(urls, context);
          if (!mayAsk || urlRounds++ === maxUrlRounds || !(await openUrls(urls, opened, context))) throw fault;
          break;
        }
        case "final":
          throw failure.fault;
      }
      try {
        return await send(request);
      } catch (next) {
        error = next;
      }
    }
  }

  function failureOf({ annotations, options }: CallerRequest, error: unknown, isRepeated: boolean): Failure {
    const isItsAnswer = options.abort?.aborted || error instanceof RpcFault || error instanceof TaskFault;
    const verdict = isItsAnswer ? "answer" : judgeRetry(error, annotations);
    if (verdict === "repeat" && !isRepeated) return { kind: "repeatable" };
    const fault =
      verdict === "answer" ? error : verdict === "unknown" ? outcomeUnknown(error as Fault) : explain(error);
    const scope = missingScopeOf(fault);
    if (scope !== undefined) return { kind: "lacks-scope", fault, scope };
    const urls = requiredUrls(fault);
    return urls === undefined ? { kind: "final", fault } : { kind: "needs-urls", fault, urls };
  }

  function explain(error: unknown): unknown {
    if (!isFault(error, "unavailable")) return error;
    return new Fault("unavailable", `${definition.name}: ${error.message}`, { cause: error, detail: error.detail });
  }

  /** A task of the server becomes one of ours for a client that knows tasks. For any other client the call waits. */
  function taskTerms(context: CallContext, { taskSupport }: CallExtras): TaskTerms {
    return {
      support: taskSupport,
      isWanted: context.isTask === true,
      onStarted: (statusMessage) => context.detach?.(statusMessage ?? `Running at ${definition.name}.`),
    };
  }

  function withIdentity(options: CallOptions, params: Params, { caller }: CallContext): CallOptions {
    const statement = definition.identity ? safeOptions.identify?.(definition, params, caller) : undefined;
    return statement === undefined ? options : { ...options, meta: { ...options.meta, [identityKey]: statement } };
  }

  function optionsOf(context: CallContext, headers: Record<string, string> | undefined): CallOptions {
    const trace = traceFields(context);
    const meta = metaOf(context, trace);
    return {
      abort: abortOf(context),
      timeoutMs: limits.timeoutMs,
      maxTotalMs: limits.maxTotalMs,
      settings: limits.settings,
      headers,
      logLevel: context.logLevel,
      toHub: isRelay,
      as: connection.link()?.agreement.era === "legacy" ? undefined : identityOf(context),
      meta: isRelay && context.era === "legacy" ? { ...meta, [callerEraKey]: "legacy" } : meta,
      trace,
      onProgress: (progress) => context.progress(progress),
      onLog: (line) => context.tell({ ...line, data: redactTexts(line.data, connection.redact) }),
      ask: (question, key) => {
        noteUrl(question.params?.elicitationId, context);
        return answerServer(question, definition, sample, context, key);
      },
    };
  }

  /** The caller's capabilities, so that a modern server asks only what can be answered. */
  function identityOf({ client }: CallContext): CallOptions["as"] {
    if (!client) return undefined;
    const { name = "", version = "", capabilities } = client;
    const extensions = carriedExtensions(capabilities);
    // Without tasks: whether a call becomes one is decided where the client is connected.
    if (isRelay) return { info: { name, version }, capabilities: { ...capabilities, extensions } };
    const askable = askableOf(client, { sampling: hasModel });
    return { capabilities: { ...askable, roots: {}, extensions: { ...ownExtensions, ...extensions } } };
  }

  function noteUrls(urls: readonly RequiredUrl[], context: CallContext): void {
    for (const { elicitationId } of urls) noteUrl(elicitationId, context);
  }

  function noteUrl(elicitationId: unknown, context: CallContext): void {
    if (typeof elicitationId !== "string") return;
    urlElicitations.note(elicitationId, () => context.elicitationComplete?.(elicitationId));
  }

  /**
   * Does what a client of 2025-11-25 does itself: sends the user to the URLs and waits until they are done, since the
   * server accepts the call only then. A page that they were sent to already is not asked for again. Returns whether the
   * user agreed to open all of them.
   */
  async function openUrls(urls: readonly RequiredUrl[], opened: OpenedPages, context: CallContext): Promise<boolean> {
    const done = urls.map(
      ({ elicitationId }) => new Promise<void>((resolve) => urlElicitations.note(elicitationId, resolve)),
    );
    const fresh = urls.filter(({ question }) => !opened.pages.has(pageOf(question)));
    try {
      const answers = await Promise.all(fresh.map(({ question }) => context.ask(question)));
      if (!answers.every(({ action }) => action === "accept")) return false;
    } catch (error) {
      // A command without a terminal gets what the server said. An MCP client gets the capability that it lacks.
      if (context.era === undefined && isFault(error, "missing-capability")) return false;
      throw error;
    }
    for (const { question } of fresh) opened.pages.add(pageOf(question));
    // The user may still be busy at the page of an earlier round, which has another id.
    if (fresh.length > 0) opened.done = [];
    opened.done = [...opened.done, Promise.all(done)];
    await orAborted(settledWithin(Promise.race(opened.done), urlWaitMs), context.signal);
    return true;
  }

  function outcomeUnknown(fault: Fault): Fault {
    return new Fault(
      "outcome-unknown",
      `Outcome unknown: the call may or may not have run. ${fault.message} It was not repeated because ${definition.name} does not say that this is safe.`,
      { cause: fault },
    );
  }
}

/** What the caller's request says to the server in `_meta`, without the state of a trace that ours does not continue. */
function metaOf({ meta }: CallContext, trace: TraceFields | undefined): Params | undefined {
  const forwarded = meta && forwardedMeta(meta);
  if (trace === undefined || trace.tracestate !== undefined || forwarded?.tracestate === undefined) return forwarded;
  const { tracestate: _, ...rest } = forwarded;
  return rest;
}

/** The pages that the user was sent to for one call. */
interface OpenedPages {
  readonly pages: Set<string>;
  /** Each settles when the server reports that the user is done. */
  done: readonly Promise<unknown>[];
}

/** Without the query: servers put an id there that is another one each time. */
function pageOf({ params }: Question): string {
  const text = String(params?.url);
  const url = URL.parse(text);
  return url === null ? text : `${url.origin}${url.pathname}`;
}
