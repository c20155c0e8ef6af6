import { Fault } from "../../core/fault.ts";
import { isRecord } from "../../core/is-record.ts";
import { quoted } from "../../core/peer-text.ts";
import { surfaceSettings } from "../../doors/mcp/surface/choose-surface.ts";
import type { HubControl } from "./hub-control.ts";

type Fields = Readonly<Record<string, unknown>>;

/** How one parameter of a method travels in the JSON object of a request. */
interface Parameter<T> {
  /** Faults with `bad-params` if a field has the wrong type. */
  read(fields: Fields): T;
  write(value: T): object;
}

type Parameters<Values extends readonly unknown[]> = { readonly [Index in keyof Values]-?: Parameter<Values[Index]> };

interface Verb<Method> {
  /** How long a client waits for the answer. */
  readonly withinMs: number;
  readonly parameters: Method extends (...values: infer Values) => unknown ? Parameters<Values> : never;
}

/** What has a row here: everything but `tools.call`, which goes through the MCP endpoint. */
export type VerbControl = {
  readonly [Area in keyof HubControl]: Omit<HubControl[Area], "call">;
};

type VerbTable = {
  readonly [Area in keyof VerbControl]: {
    readonly [Name in keyof VerbControl[Area]]: Verb<VerbControl[Area][Name]>;
  };
};

const lookUpMs = 15_000;
/** One server may have to be downloaded before it starts. */
const serverMs = 300_000;
const signInStepMs = 150_000;
/** Longer than any device code is valid. */
const deviceMs = 3_600_000;
const gatewayMs = 60_000;
/** The longest that `audit.read` waits for a new line, and a bit more. */
const followMs = 60_000;

const server = text("server");
const signInRequest = { scope: optionalText("scope"), issuer: optionalText("issuer") };
const conversationPlace = optionalChoice("from", ["model", "openclaw"]);

/**
 * The control API: `POST /control/<area>.<verb>` with a JSON object. The server and its client are both made from this
 * table. Nothing here changes the configuration: a token must never become the right to start a command.
 */
const verbs: VerbTable = {
  servers: {
    list: verb(lookUpMs),
    connect: verb(serverMs, text("name")),
    disconnect: verb(lookUpMs, text("name")),
    refresh: verb(serverMs, optionalText("name")),
    logs: verb(lookUpMs, text("name")),
  },
  tools: {
    list: verb(lookUpMs, optionalText("source")),
    find: verb(lookUpMs, text("name")),
  },
  signIns: {
    wayOf: verb(lookUpMs, server),
    begin: verb(signInStepMs, server, fields({ ...signInRequest, redirectUri: text("redirectUri") })),
    finish: verb(signInStepMs, server, text("query"), flag("pasted")),
    cancel: verb(signInStepMs, server, text("state")),
    isWaiting: verb(signInStepMs, server, text("state")),
    beginDevice: verb(signInStepMs, server, fields(signInRequest)),
    awaitDevice: verb(deviceMs, server, text("userCode")),
    cancelDevice: verb(lookUpMs, server, text("userCode")),
    logout: verb(signInStepMs, server),
    status: verb(signInStepMs, server),
    list: verb(signInStepMs),
  },
  tokens: {
    list: verb(lookUpMs),
    add: verb(lookUpMs, text("name"), optionalTexts("views"), flag("metrics"), optionalChoice("surface", surfaceSettings)),
    remove: verb(lookUpMs, text("name")),
    reset: verb(lookUpMs),
  },
  approvals: {
    list: verb(lookUpMs),
    approve: verb(
      lookUpMs,
      text("id"),
      fields({
        answer: optionalChoice("answer", ["once", "always", "never", "no"]),
        widened: optionalChoice("widened", ["caller", "tool"]),
        confirmed: flag("confirmed"),
      }),
    ),
    accept: verb(lookUpMs, text("name"), fields({ confirmed: flag("confirmed"), seen: optionalTexts("seen") })),
    forget: verb(lookUpMs, text("tool")),
  },
  pins: {
    list: verb(lookUpMs),
    forget: verb(lookUpMs, server, fields({ confirmed: flag("confirmed") })),
  },
  audit: {
    read: verb(
      followMs,
      fields({
        tool: optionalText("tool"),
        outcome: optionalText("outcome"),
        limit: optionalNumber("limit"),
        after: optionalText("after"),
        waitMs: optionalNumber("waitMs"),
      }),
    ),
  },
  conversations: {
    list: verb(gatewayMs, conversationPlace),
    show: verb(gatewayMs, text("key"), conversationPlace),
    remove: verb(gatewayMs, text("key"), conversationPlace),
  },
  apps: { list: verb(lookUpMs) },
  configuration: {
    place: verb(lookUpMs),
    read: verb(lookUpMs),
    reload: verb(serverMs),
  },
  doctor: { findings: verb(gatewayMs) },
  status: { read: verb(lookUpMs), log: verb(lookUpMs) },
};

/** Answers one verb of the API for another process of the same user. */
export type ControlApi = (name: string, body: unknown) => Promise<unknown>;

export function createControlApi(control: VerbControl): ControlApi {
  const calls = new Map(
    allVerbs().map(({ area, name, parameters }) => {
      const methods = control[area] as unknown as Readonly<Record<string, AnyMethod>>;
      const call = (body: Fields) => methods[name]?.(...parameters.map((each) => each.read(body)));
      return [`${area}.${name}`, call];
    }),
  );
  return async (name, body) => {
    const call = calls.get(name);
    if (call === undefined) throw new Fault("not-found", `There is no control verb ${quoted(name, 80)}.`);
    if (!isRecord(body)) throw new Fault("bad-params", "The request body must be a JSON object.");
    return call(body);
  };
}

/** Sends one verb to a hub and returns its result. */
export type AskHub = (name: string, body: object, withinMs: number) => Promise<unknown>;

export function createVerbClient(ask: AskHub): VerbControl {
  const areas: Record<string, Record<string, AnyMethod>> = {};
  for (const { area, name, withinMs, parameters } of allVerbs()) {
    (areas[area] ??= {})[name] = (...values) =>
      ask(`${area}.${name}`, Object.assign({}, ...parameters.map((each, at) => each.write(values[at]))), withinMs);
  }
  return areas as unknown as VerbControl;
}

type AnyMethod = (...values: readonly unknown[]) => Promise<unknown>;

interface AnyVerb {
  readonly area: keyof VerbControl;
  readonly name: string;
  readonly withinMs: number;
  readonly parameters: readonly Parameter<unknown>[];
}

function allVerbs(): readonly AnyVerb[] {
  return Object.entries(verbs).flatMap(([area, rows]) =>
    Object.entries(rows as Record<string, Omit<AnyVerb, "area" | "name">>).map(([name, row]) => ({
      ...row,
      area: area as keyof VerbControl,
      name,
    })),
  );
}

function verb<const Rows extends readonly Parameter<unknown>[]>(
  withinMs: number,
  ...parameters: Rows
): { readonly withinMs: number; readonly parameters: Rows } {
  return { withinMs, parameters };
}

function text(name: string): Parameter<string> {
  return parameter(name, (value) => {
    if (typeof value !== "string") throw wrongType(name, "a string");
    return value;
  });
}

function optionalText(name: string): Parameter<string | undefined> {
  const { read } = text(name);
  return parameter(name, (value, body) => (value === undefined ? undefined : read(body)));
}

function optionalTexts(name: string): Parameter<readonly string[] | undefined> {
  return parameter(name, (value) => {
    if (value === undefined) return undefined;
    if (!Array.isArray(value) || !value.every((each) => typeof each === "string"))
      throw wrongType(name, "a list of strings");
    return value;
  });
}

function optionalNumber(name: string): Parameter<number | undefined> {
  return parameter(name, (value) => {
    if (value === undefined) return undefined;
    if (typeof value !== "number" || !Number.isInteger(value) || value < 0)
      throw wrongType(name, "a whole number, 0 or more");
    return value;
  });
}

function optionalChoice<const Choice extends string>(
  name: string,
  choices: readonly Choice[],
): Parameter<Choice | undefined> {
  return parameter(name, (value) => {
    const found = choices.find((choice) => choice === value);
    if (found === undefined && value !== undefined)
      throw wrongType(name, choices.map((each) => quoted(each)).join(" or "));
    return found;
  });
}

function flag(name: string): Parameter<boolean> {
  return parameter(name, (value) => {
    if (value !== undefined && typeof value !== "boolean") throw wrongType(name, "true or false");
    return value ?? false;
  });
}

function parameter<T>(name: string, read: (value: unknown, body: Fields) => T): Parameter<T> {
  return {
    read: (body) => read(Object.hasOwn(body, name) ? body[name] : undefined, body),
    write: (value) => ({ [name]: value }),
  };
}

/** An object whose fields are fields of the request itself. */
function fields<Shape extends Readonly<Record<string, Parameter<unknown>>>>(
  shape: Shape,
): Parameter<{ [Key in keyof Shape]: ReturnType<Shape[Key]["read"]> }> {
  type Value = { [Key in keyof Shape]: ReturnType<Shape[Key]["read"]> };
  return {
    read: (body) =>
      Object.fromEntries(Object.entries(shape).map(([key, { read }]) => [key, read(body)])) as unknown as Value,
    write: (value: Value | undefined) => value ?? {},
  };
}

function wrongType(name: string, expected: string): Fault {
  return new Fault("bad-params", `"${name}" must be ${expected}.`);
}
