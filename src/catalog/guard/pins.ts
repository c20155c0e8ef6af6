import { Fault } from "../../core/fault.ts";
import { openStateFile } from "../../core/files/state-file.ts";
import { isRecord } from "../../core/is-record.ts";
import { type Log, silentLog } from "../../core/log.ts";
import type { Tool } from "../../mcp/messages/tool.ts";
import type { Advice } from "../advice.ts";
import type { CatalogTool } from "../source.ts";
import { pinDefinition, pinDiff, type PinnedDefinition } from "./pin-definition.ts";

/** Tools as they were when they were first used. A server that changes one afterwards has to ask again. */
export interface Pins {
  /** Whether it is known at once that nothing about the tool has changed. If not, `check` finds out. */
  isKnownUnchanged(tool: CatalogTool): boolean;
  /** Nothing where the definition is the pinned one or none is pinned. */
  check(tool: CatalogTool): Promise<Advice | undefined>;
  /** Pins the definition unless one is pinned already: the tool is about to run. The file is written later. */
  pinOnFirstUse(tool: CatalogTool): void;
  list(): Promise<readonly Pin[]>;
  /** Accepts what the sources of the tools of that name now offer; gives the new pins. */
  accept(name: string): Promise<readonly Pin[]>;
  /** Writes what is left. */
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
  /** Tools found as pinned, until anything about the pins changes. */
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

  /** The change may have been accepted by another process; and if not, that one must be able to find it in the file. */
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
      reason: refused
        ? "its new definition was refused for good"
        : "its definition is no longer the one it had when it was first used",
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
      if (!failed) log.error("pins can't be written; they are kept until the program ends", { file, error });
      failed = true;
    }
  }

  /** One write at a time; what is pinned meanwhile goes into the next. */
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
 * Our own tools come with the program, and those of an app's session are the app's to change: no session ever comes back
 * under the name of another. What remains comes from outside and may change there.
 */
const isPinned = ({ source }: CatalogTool): boolean => source.kind === "server";

const keyOf = (source: string, tool: string): string => JSON.stringify([source, tool]);
const keyOfTool = ({ source, tool }: CatalogTool): string => keyOf(source.id, tool.name);

function renew({ name, source, tool }: Pin, { hash, text }: { hash: string; text: string }, at: string): Pin {
  return { name, source, tool, hash, text, at };
}

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

function parsePins(value: unknown): PinsFile {
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
