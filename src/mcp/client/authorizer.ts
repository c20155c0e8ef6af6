import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { type HttpCall, sendHttp } from "../../core/http/send-http.ts";

/** Says who we are to one server, where a fixed header is not enough. */
export interface Authorizer {
  /** For one request, which may have to be sent several times before the server takes it. */
  request(method: string, url: URL): AuthorizedRequest;
}

export interface AuthorizedRequest {
  /** What to send along, made anew for each time. */
  headers(signal?: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** Told of the head of every response. */
  answered?(headers: IncomingHttpHeaders): void;
  /**
   * Told of 401 and 403, after which the server has taken nothing. Says whether to send the request again; faults where
   * a person has to do something first.
   */
  refused(refusal: AuthRefusal): Promise<boolean>;
}

export interface AuthRefusal {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly signal?: AbortSignal | undefined;
}

/** However the authorizer decides, a server that keeps refusing is not asked for ever. */
const mostRefusals = 6;

/** Sends a request, and again for as long as the authorizer has an answer to the server's refusal. */
export async function sendAuthorized(call: HttpCall, authorizer: Authorizer | undefined): Promise<IncomingMessage> {
  if (!authorizer) return sendHttp(call);
  const request = authorizer.request(call.method, call.url);
  for (let refusals = 0; ; refusals++) {
    const headers = { ...call.headers, ...(await request.headers(call.signal)) };
    const response = await sendHttp({ ...call, headers });
    request.answered?.(response.headers);
    const status = response.statusCode ?? 0;
    if ((status !== 401 && status !== 403) || refusals === mostRefusals) return response;
    try {
      if (!(await request.refused({ status, headers: response.headers, signal: call.signal }))) return response;
    } catch (error) {
      response.destroy();
      throw error;
    }
    response.resume();
  }
}
