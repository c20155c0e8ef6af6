import { Fault } from "../../core/fault.ts";
import { isRecord } from "../../core/is-record.ts";
import type { PinnedDefinition } from "./pin-definition.ts";

/** The definition a tool had when it was first used, or when its change was last accepted. */
export interface Pin extends PinnedDefinition {
  /** The name in the catalog when it was pinned: for people. */
  readonly name: string;
  readonly source: string;
  /** The name the source itself has for it. */
  readonly tool: string;
  readonly at: string;
  /** What the source offers now instead, until somebody accepts it. */
  readonly offered?: PinnedDefinition;
  /** The hash of a definition that was refused for good. */
  readonly refused?: string;
}

export interface PinsFile {
  readonly pins: readonly Pin[];
}

export function parsePins(value: unknown): PinsFile {
  if (isRecord(value) && Array.isArray(value.pins) && value.pins.every(isPin)) return { pins: value.pins };
  throw new Fault("corrupt", "This is no file of pins.");
}

function isPin(value: unknown): value is Pin {
  if (!isDefinition(value)) return false;
  const { name, source, tool, at, offered, refused }: Partial<Pin> = value;
  const named = [name, source, tool, at].every((text) => typeof text === "string");
  return (
    named && (offered === undefined || isDefinition(offered)) && (refused === undefined || typeof refused === "string")
  );
}

function isDefinition(value: unknown): value is PinnedDefinition {
  return isRecord(value) && typeof value.hash === "string" && typeof value.text === "string";
}
