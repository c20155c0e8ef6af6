import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { type HttpCall, sendHttp } from "../../core/http/send-http.ts";

/** Authenticates to one server, if fixed headers are not enough. */
export interface Authorizer {
  /** For one request, which may be sent several times before the server accepts it. */
  request(method: string, url: URL): AuthorizedRequest;
}

export interface AuthorizedRequest {
  /** The headers for one attempt. */
  headers(signal?: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** Called with the headers of every response. */
  answered?(headers: IncomingHttpHeaders): void;
  /**
   * Called after 401 and 403, when the server has not accepted the request. Returns whether to send it again. Faults if
   * the user must do something first.
   */
  refused(refusal: AuthRefusal): Promise<boolean>;
}

export interface AuthRefusal {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly signal?: AbortSignal | undefined;
}

/** A server that keeps refusing is not tried forever, whatever the authorizer decides. */
const maxRefusals = 6;

/** Sends a request, and again as long as the authorizer says so. */
export async function sendAuthorized(call: HttpCall, authorizer: Authorizer | undefined): Promise<IncomingMessage> {
  if (!authorizer) return sendHttp(call);
  const request = authorizer.request(call.method, call.url);
  const signal = call.abort?.signal ?? call.signal;
  for (let refusals = 0; ; refusals++) {
    const headers = { ...call.headers, ...(await request.headers(signal)) };
    const response = await sendHttp({ ...call, headers });
    request.answered?.(response.headers);
    const status = response.statusCode ?? 0;
    if ((status !== 401 && status !== 403) || refusals === maxRefusals) return response;
    try {
      if (!(await request.refused({ status, headers: response.headers, signal }))) return response;
    } catch (error) {
      response.destroy();
      throw error;
    }
    response.resume();
  }
}
