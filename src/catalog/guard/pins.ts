import { Fault } from "../../core/fault.ts";
import { openStateFile } from "../../core/files/state-file.ts";
import { isRecord } from "../../core/is-record.ts";
import { type Log, silentLog } from "../../core/log.ts";
import type { Tool } from "../../mcp/messages/tool.ts";
import type { Advice } from "../advice.ts";
import type { CatalogTool } from "../source.ts";
import { pinDefinition, pinDiff, type PinnedDefinition } from "./pin-definition.ts";

/** The definitions tools had when they were first used. A tool that changes afterwards needs approval again. */
export interface Pins {
  /** Whether the tool is known, without reading the file, to be unchanged. If not, `check` finds out. */
  isKnownUnchanged(tool: CatalogTool): boolean;
  /** Undefined if the definition is the pinned one, or none is pinned. */
  check(tool: CatalogTool): Promise<Advice | undefined>;
  /** Pins the definition of a tool that is about to run, unless one is pinned already. The file is written later. */
  pinOnFirstUse(tool: CatalogTool): void;
  list(): Promise<readonly Pin[]>;
  /** Accepts the new definitions of the tools of that name; returns the new pins. */
  accept(name: string): Promise<readonly Pin[]>;
  /** Writes what is not in the file yet. */
  close(): Promise<void>;
}

export interface PinsOptions {
  readonly file: string;
  readonly clock?: () => number;
  readonly log?: Log;
}

const mostPins = 10_000;

export function openPins({ file, clock = Date.now, log = silentLog }: PinsOptions): Pins {
  const state = openStateFile<PinsFile>({ path: file, parse: parsePins, empty: { pins: [] }, log });
  let pins: Map<string, Pin> | undefined;
  const unwritten = new Map<string, Pin>();
  let writing: Promise<void> | undefined;
  let failed = false;
  /** Tools that match their pins, until any pin changes. */
  let unchanged = new WeakSet<CatalogTool>();
  const hashes = new WeakMap<Tool, string>();

  function learn(content: PinsFile): Map<string, Pin> {
    pins = new Map([...unwritten, ...content.pins.map((pin) => [keyOf(pin.source, pin.tool), pin] as const)]);
    unchanged = new WeakSet();
    return pins;
  }

  function change(edit: (pin: Pin) => Pin): Promise<Map<string, Pin>> {
    return state.update((content) => ({ pins: content.pins.map(edit) })).then(learn);
  }

  function changePin(tool: CatalogTool, edit: (pin: Pin) => Pin): Promise<Map<string, Pin>> {
    const key = keyOfTool(tool);
    return change((pin) => (keyOf(pin.source, pin.tool) === key ? edit(pin) : pin));
  }

  const isKnownUnchanged = (tool: CatalogTool): boolean => unchanged.has(tool) || !isPinned(tool);

  function hashOf(tool: Tool): string {
    const hash = hashes.get(tool) ?? pinDefinition(tool).hash;
    hashes.set(tool, hash);
    return hash;
  }

  async function check(tool: CatalogTool): Promise<Advice | undefined> {
    if (isKnownUnchanged(tool)) return undefined;
    pins ??= learn(await state.read());
    const pin = pins.get(keyOfTool(tool));
    if (pin === undefined) return undefined;
    if (pin.hash !== hashOf(tool.tool)) return review(tool);
    unchanged.add(tool);
    return undefined;
  }

  /** Another process may have accepted the change. If not, it must be able to find the change in the file. */
  async function review(tool: CatalogTool): Promise<Advice | undefined> {
    await flush();
    const offered = pinDefinition(tool.tool);
    const known = learn(await state.read()).get(keyOfTool(tool));
    if (known === undefined || known.hash === offered.hash) return undefined;
    if (known.offered?.hash !== offered.hash) await changePin(tool, (pin) => ({ ...pin, offered }));
    const refused = known.refused === offered.hash;
    return {
      by: "pin",
      verdict: refused ? "deny" : "ask",
      reason: refused ? "its new definition was rejected" : "its definition has changed since it was first used",
      detail: pinDiff(known.text, offered.text),
      howTo: `Run \`clawport approve ${tool.name}\` to accept the new definition.`,
      async remember(choice) {
        const at = new Date(clock()).toISOString();
        await changePin(tool, (pin) =>
          choice === "always" ? renew(pin, offered, at) : { ...pin, refused: offered.hash },
        );
      },
    };
  }

  async function write(): Promise<void> {
    const added = new Map(unwritten);
    try {
      const content = await state.update(({ pins }) => {
        const there = new Set(pins.map((pin) => keyOf(pin.source, pin.tool)));
        const fresh = [...added].filter(([key]) => !there.has(key)).map(([, pin]) => pin);
        return { pins: [...pins, ...fresh].slice(-mostPins) };
      });
      for (const key of added.keys()) unwritten.delete(key);
      learn(content);
      failed = false;
    } catch (error) {
      if (!failed) log.error("could not write the pins; keeping them in memory", { file, error });
      failed = true;
    }
  }

  /** One write at a time. What is pinned meanwhile goes into the next one. */
  async function flush(): Promise<void> {
    await writing;
    if (unwritten.size === 0) return;
    writing ??= write().finally(() => (writing = undefined));
    await writing;
    if (!failed) await flush();
  }

  return {
    isKnownUnchanged,
    check,
    pinOnFirstUse(tool) {
      if (isKnownUnchanged(tool) || pins === undefined) return;
      const key = keyOfTool(tool);
      if (pins.has(key)) return;
      const at = new Date(clock()).toISOString();
      const pin = { name: tool.name, source: tool.source.id, tool: tool.tool.name, ...pinDefinition(tool.tool), at };
      pins.set(key, pin);
      unwritten.set(key, pin);
      unchanged.add(tool);
      void flush();
    },
    list: async () => [...learn(await state.read()).values()],
    async accept(name) {
      const at = new Date(clock()).toISOString();
      const accepted: Pin[] = [];
      await change((pin) => {
        if (pin.name !== name || pin.offered === undefined) return pin;
        const renewed = renew(pin, pin.offered, at);
        accepted.push(renewed);
        return renewed;
      });
      return accepted;
    },
    close: flush,
  };
}

/**
 * Only tools of servers can change under a name that a person trusts. Built-in tools come with the program, and an
 * app's tools belong to one session, whose name is never used again.
 */
const isPinned = ({ source }: CatalogTool): boolean => source.kind === "server";

const keyOf = (source: string, tool: string): string => JSON.stringify([source, tool]);
const keyOfTool = ({ source, tool }: CatalogTool): string => keyOf(source.id, tool.name);

function renew({ name, source, tool }: Pin, { hash, text }: { hash: string; text: string }, at: string): Pin {
  return { name, source, tool, hash, text, at };
}

/** The definition a tool had when it was first used, or when its change was last accepted. */
export interface Pin extends PinnedDefinition {
  /** The name in the catalog when it was pinned, for display. */
  readonly name: string;
  readonly source: string;
  /** The source's own name for it. */
  readonly tool: string;
  readonly at: string;
  /** The new definition that the source offers, until a person accepts it. */
  readonly offered?: PinnedDefinition;
  /** The hash of a definition that a person rejected. */
  readonly refused?: string;
}

export interface PinsFile {
  readonly pins: readonly Pin[];
}

function parsePins(value: unknown): PinsFile {
  if (isRecord(value) && Array.isArray(value.pins) && value.pins.every(isPin)) return { pins: value.pins };
  throw new Fault("corrupt", "This is not a list of pins.");
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
