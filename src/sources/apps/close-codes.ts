/** Why a bridge was closed, as its app sees it. */
export const closeCodes = {
  malformed: [4400, "message not understood"],
  invalidToken: [4401, "invalid app token"],
  unknownSession: [4404, "unknown session_id"],
  expired: [4408, "session expired"],
  replaced: [4409, "replaced by a newer bridge"],
  deleted: [4410, "session deleted"],
  flooding: [4429, "too many messages"],
  failed: [1011, "proxy could not open the bridge"],
  overloaded: [1013, "proxy holds as much as it may"],
  draining: [1012, "proxy is restarting"],
} as const satisfies Record<string, readonly [code: number, reason: string]>;

export type CloseReason = keyof typeof closeCodes;
