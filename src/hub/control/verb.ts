import type { FileContext, FolderContext, HubContext } from "./contexts.ts";
import type { Fields, Input } from "./input.ts";

/**
 * What a verb does: `relay` is what a process needs that hands on the calls of a client. `look` changes nothing. `change`
 * takes the control key. `person` changes the configuration or shows a secret: a key must never become the right to start
 * a command, so it takes a session of the console that was opened at a terminal.
 */
export type VerbNeed = "relay" | "look" | "change" | "person";

/**
 * What a verb works on. `hub`: a running engine. `folder`: the state folder, so a command runs it itself if no hub runs.
 * `file`: the configuration file, so a command runs it itself with the rights of the user who typed it, also beside a hub.
 */
export interface Contexts {
  readonly hub: HubContext;
  readonly folder: FolderContext;
  readonly file: FileContext;
}

export interface Verb<Shape extends Fields, Output, Place extends keyof Contexts> {
  readonly needs: VerbNeed;
  readonly summary: string;
  /** How long a client waits for the answer. */
  readonly withinMs: number;
  readonly input: Shape;
  readonly on: Place;
  /** Loads what it needs: commands and the page have the table, too, and run nothing. The signal aborts if the client goes away. */
  readonly run: (context: Contexts[Place], input: Input<Shape>, signal?: AbortSignal) => Promise<Output>;
}

const noFields = {};

/** A row of the table. It needs a running hub, takes no input and answers within 15 s unless it says otherwise. */
export function verb<Output, const Shape extends Fields = typeof noFields, const Place extends keyof Contexts = "hub">(
  row: Pick<Verb<Shape, Output, Place>, "needs" | "summary" | "run"> &
    Partial<Pick<Verb<Shape, Output, Place>, "withinMs" | "input" | "on">>,
): Verb<Shape, Output, Place> {
  return { withinMs: 15_000, input: noFields as Shape, on: "hub" as Place, ...row };
}

/** One server may have to be downloaded before it starts. */
export const serverMs = 300_000;
export const gatewayMs = 60_000;

/** Any row: what it runs on and takes is known to its own type only. */
export interface AnyVerb extends Omit<Verb<Fields, unknown, keyof Contexts>, "run"> {
  readonly run: (context: never, input: never, signal?: AbortSignal) => Promise<unknown>;
}
export type VerbTable = Readonly<Record<string, Readonly<Record<string, AnyVerb>>>>;

type CallOf<Row> = Row extends {
  readonly input: infer Shape extends Fields;
  readonly run: (...values: never[]) => Promise<infer Output>;
}
  ? object extends Input<Shape>
    ? (input?: Input<Shape>, signal?: AbortSignal) => Promise<Output>
    : (input: Input<Shape>, signal?: AbortSignal) => Promise<Output>
  : never;

/** Every verb of a table as a method: the same type for the hub itself and for each of its clients. */
export type Control<Table extends VerbTable> = {
  readonly [Area in keyof Table]: { readonly [Name in keyof Table[Area]]: CallOf<Table[Area][Name]> };
};

export type VerbCall = (input?: object, signal?: AbortSignal) => Promise<unknown>;

/** Makes a control whose methods do what `call` says. */
export function controlOf<Table extends VerbTable>(
  table: Table,
  call: (area: string, name: string, row: AnyVerb) => VerbCall,
): Control<Table> {
  const areas = Object.entries(table).map(([area, rows]) => {
    const methods = Object.entries(rows).map(([name, row]) => [name, call(area, name, row)]);
    return [area, Object.fromEntries(methods) as unknown];
  });
  return Object.fromEntries(areas) as Control<Table>;
}

/** A method that runs the row in this process, on the context that it is for. */
export function runOn(context: Contexts[keyof Contexts], row: AnyVerb): VerbCall {
  return (input = {}, signal) => row.run(context as never, input as never, signal);
}
