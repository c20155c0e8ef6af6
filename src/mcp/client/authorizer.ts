import type { IncomingHttpHeaders } from "node:http";

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
