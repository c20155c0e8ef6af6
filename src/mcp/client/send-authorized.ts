import type { IncomingMessage } from "node:http";
import type { Authorizer } from "./authorizer.ts";
import { type HttpCall, sendHttp } from "./send-http.ts";

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
