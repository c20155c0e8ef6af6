import { Fault } from "../../core/fault.ts";
import { isRecord } from "../../core/is-record.ts";
import { quoted } from "../../core/peer-text.ts";
import { surfaceSettings } from "../../doors/mcp/surface/choose-surface.ts";
import type { HubControl } from "./hub-control.ts";
import {
  choice,
  fields,
  type Fields,
  flag,
  list,
  optionalChoice,
  optionalFlag,
  optionalNumber,
  optionalText,
  optionalTextMap,
  optionalTexts,
  type Parameter,
  text,
  texts,
} from "./verb-parameters.ts";

type Parameters<Values extends readonly unknown[]> = { readonly [Index in keyof Values]-?: Parameter<Values[Index]> };

/**
 * What a verb does: `look` changes nothing. `change` takes the main token, from this machine.
 * `person` changes the configuration or shows a secret: a token must never become the right to start a command, so it
 * takes a session of the console that was opened at a terminal.
 */
export type VerbNeed = "look" | "change" | "person";

interface Verb<Method> {
  readonly needs: VerbNeed;
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
const newServer = {
  name: optionalText("name"),
  url: optionalText("url"),
  command: optionalText("command"),
  args: optionalTexts("args"),
  json: optionalText("json"),
  apiKey: optionalText("apiKey"),
  headers: optionalTextMap("headers"),
  env: optionalTextMap("env"),
  force: optionalFlag("force"),
};
const conversationPlace = optionalChoice("from", ["model", "openclaw"]);

/** The control API: `POST /control/<area>.<verb>` with a JSON object. The server and its clients are made from this table. */
const verbs: VerbTable = {
  servers: {
    list: look(lookUpMs),
    connect: change(serverMs, text("name")),
    disconnect: change(lookUpMs, text("name")),
    refresh: change(serverMs, optionalText("name")),
    logs: look(lookUpMs, text("name")),
    add: person(serverMs, fields(newServer)),
    remove: person(serverMs, text("name")),
    enable: person(serverMs, text("name"), flag("on")),
    importable: look(lookUpMs),
    import: person(serverMs, texts("names")),
  },
  tools: {
    list: look(lookUpMs, optionalText("source")),
    find: look(lookUpMs, text("name")),
    search: look(
      lookUpMs,
      fields({
        query: optionalText("query"),
        source: optionalText("source"),
        offset: optionalNumber("offset"),
        limit: optionalNumber("limit"),
        closest: optionalFlag("closest"),
      }),
    ),
  },
  signIns: {
    wayOf: look(lookUpMs, server),
    begin: change(signInStepMs, server, fields({ ...signInRequest, redirectUri: text("redirectUri") })),
    finish: change(signInStepMs, server, text("query"), flag("pasted")),
    cancel: change(signInStepMs, server, text("state")),
    isWaiting: look(signInStepMs, server, text("state")),
    beginDevice: change(signInStepMs, server, fields(signInRequest)),
    awaitDevice: change(deviceMs, server, text("userCode")),
    cancelDevice: change(lookUpMs, server, text("userCode")),
    logout: change(signInStepMs, server),
    status: look(signInStepMs, server),
    list: look(signInStepMs),
  },
  tokens: {
    list: look(lookUpMs),
    add: change(
      lookUpMs,
      text("name"),
      optionalTexts("views"),
      flag("metrics"),
      optionalChoice("surface", surfaceSettings),
    ),
    remove: change(lookUpMs, text("name")),
    reset: change(lookUpMs),
  },
  approvals: {
    list: look(lookUpMs),
    approve: change(
      lookUpMs,
      text("id"),
      fields({
        answer: optionalChoice("answer", ["once", "always", "never", "no"]),
        widened: optionalChoice("widened", ["caller", "tool"]),
        confirmed: flag("confirmed"),
      }),
    ),
    accept: change(lookUpMs, text("name"), fields({ confirmed: flag("confirmed"), seen: optionalTexts("seen") })),
    reject: change(lookUpMs, text("name"), fields({ seen: optionalTexts("seen") })),
    forget: change(lookUpMs, text("tool")),
  },
  pins: {
    list: look(lookUpMs),
    forget: change(lookUpMs, server, fields({ confirmed: flag("confirmed") })),
  },
  audit: {
    read: look(
      followMs,
      fields({
        tool: optionalText("tool"),
        outcome: optionalText("outcome"),
        limit: optionalNumber("limit"),
        after: optionalText("after"),
        waitMs: optionalNumber("waitMs"),
      }),
    ),
    search: look(
      followMs,
      fields({
        tool: optionalText("tool"),
        caller: optionalText("caller"),
        outcome: optionalText("outcome"),
        text: optionalText("text"),
        before: optionalText("before"),
        limit: optionalNumber("limit"),
      }),
    ),
    steps: look(followMs, text("id")),
  },
  conversations: {
    list: look(gatewayMs, conversationPlace),
    show: look(gatewayMs, text("key"), conversationPlace),
    remove: change(gatewayMs, text("key"), conversationPlace),
  },
  apps: { list: look(lookUpMs) },
  configuration: {
    place: look(lookUpMs),
    read: look(lookUpMs),
    reload: change(serverMs),
    schema: look(lookUpMs),
    validate: look(lookUpMs, text("text")),
    hide: look(lookUpMs, text("text"), texts("tools")),
    write: person(serverMs, text("text"), text("baseHash")),
  },
  rules: {
    list: look(lookUpMs),
    save: person(lookUpMs, list("rules"), optionalText("baseHash")),
    dryRun: look(followMs, list("rules")),
  },
  machine: {
    read: look(lookUpMs),
    set: person(
      lookUpMs,
      fields({
        enabled: optionalFlag("enabled"),
        enableMcpServer: optionalFlag("enableMcpServer"),
        enableNodeMode: optionalFlag("enableNodeMode"),
      }),
    ),
    consent: person(lookUpMs, text("capability"), choice("mode", ["off", "ask", "session", "always", "default"])),
    forget: change(lookUpMs, text("capability")),
    revealToken: person(lookUpMs),
    pairing: look(gatewayMs),
    pair: person(
      gatewayMs,
      fields({
        gateway: optionalText("gateway"),
        token: optionalText("token"),
        password: optionalText("password"),
      }),
    ),
  },
  agent: { read: look(gatewayMs) },
  clients: {
    list: look(lookUpMs),
    preview: look(lookUpMs, text("id")),
    install: person(lookUpMs, text("id")),
    uninstall: person(lookUpMs, text("id")),
  },
  doctor: { findings: look(gatewayMs) },
  usage: { read: look(lookUpMs, optionalNumber("days")) },
  status: {
    read: look(lookUpMs),
    log: look(lookUpMs),
    attention: look(lookUpMs),
    series: look(lookUpMs, optionalNumber("minutes")),
  },
};

/** Answers one verb for a caller that may do what `rights` says; without it, what the owner of the main token may. */
export type ControlApi = (name: string, body: unknown, rights?: VerbNeed) => Promise<unknown>;

export function createControlApi(control: VerbControl): ControlApi {
  const calls = new Map(
    allVerbs().map(({ area, name, needs, parameters }) => {
      const methods = control[area] as unknown as Readonly<Record<string, AnyMethod>>;
      const call = (body: Fields) => methods[name]?.(...parameters.map((each) => each.read(body)));
      return [`${area}.${name}`, { needs, call }];
    }),
  );
  return async (name, body, rights = "change") => {
    const found = calls.get(name);
    if (found === undefined) throw new Fault("not-found", `There is no control verb ${quoted(name, 80)}.`);
    if (ranks[found.needs] > ranks[rights]) throw new Fault("denied", rights === "look" ? onlyLooks : needsPerson);
    if (!isRecord(body)) throw new Fault("bad-params", "The request body must be a JSON object.");
    return found.call(body);
  };
}

const ranks: Readonly<Record<VerbNeed, number>> = { look: 0, change: 1, person: 2 };

export const onlyLooks =
  "This session may look, but not change anything: its link was not made at a terminal. Run `clawport console` in a terminal.";
const needsPerson = "A token is not enough for this. Use the console (`clawport console`), or a command in a terminal.";

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
  readonly needs: VerbNeed;
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

interface Row<Rows> {
  readonly needs: VerbNeed;
  readonly withinMs: number;
  readonly parameters: Rows;
}

function look<const Rows extends readonly Parameter<unknown>[]>(withinMs: number, ...parameters: Rows): Row<Rows> {
  return { needs: "look", withinMs, parameters };
}

function change<const Rows extends readonly Parameter<unknown>[]>(withinMs: number, ...parameters: Rows): Row<Rows> {
  return { needs: "change", withinMs, parameters };
}

function person<const Rows extends readonly Parameter<unknown>[]>(withinMs: number, ...parameters: Rows): Row<Rows> {
  return { needs: "person", withinMs, parameters };
}
