import type { Finding } from "./check-value.ts";
import { judgeAddress } from "./judge-address.ts";

export function checkAddress(path: readonly string[], address: string | undefined): Finding[] {
  const message = address === undefined ? undefined : judgeAddress(address);
  return message === undefined ? [] : [{ path, message }];
}
