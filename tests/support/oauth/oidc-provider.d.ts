/** Only what the tests use: the package brings no types. */
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  interface AccessToken {
    readonly accountId?: string;
    readonly clientId?: string;
    readonly scope?: string;
    readonly aud?: string | readonly string[];
    readonly exp: number;
    readonly isValid: boolean;
    destroy(): Promise<void>;
  }

  interface Adapter {
    revokeByGrantId(grantId: string): Promise<void>;
    destroy(id: string): Promise<void>;
  }

  interface RequestContext {
    readonly oidc: {
      readonly params?: Readonly<Record<string, unknown>>;
      readonly client?: { readonly clientId: string };
    };
    readonly path: string;
    readonly method: string;
  }

  export class Provider {
    constructor(issuer: string, configuration: object);
    proxy: boolean;
    readonly AccessToken: { find(value: string): Promise<AccessToken | undefined>; readonly adapter: Adapter };
    readonly ClientCredentials: { find(value: string): Promise<AccessToken | undefined> };
    readonly RefreshToken: { readonly adapter: Adapter };
    readonly Grant: { readonly adapter: Adapter };
    use(
      middleware: (ctx: RequestContext & { readonly body?: unknown }, next: () => Promise<void>) => Promise<void>,
    ): void;
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    on(event: "access_token.saved", listener: (token: { readonly grantId?: string }) => void): this;
    on(event: "grant.success" | "grant.revoked", listener: (ctx: RequestContext) => void): this;
    on(
      event: "grant.error" | "authorization.error" | "registration_create.error" | "server_error",
      listener: (ctx: RequestContext, error: Error) => void,
    ): this;
  }
}
