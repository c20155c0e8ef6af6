import { Fault } from "../../../core/fault.ts";

/** Why a server's process failed, with its output: for the user and the log, not for callers. */
export class ServerExit extends Error {}

/** The message of a fault for the user: if a process failed, with its output. */
export function messageForUser(fault: Fault): string {
  const { cause, message } = fault;
  if (cause instanceof ServerExit) return cause.message;
  return cause instanceof Fault ? message.replace(cause.message, () => messageForUser(cause)) : message;
}
