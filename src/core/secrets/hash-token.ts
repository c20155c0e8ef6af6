import { hash } from "node:crypto";

/** What is kept of a token. Fast, since it is made for every request: tokens of random bits can't be tried out. */
export function hashToken(token: string): string {
  return hash("sha256", token, "hex");
}
