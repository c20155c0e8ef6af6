import { surfaceSettings } from "../../doors/mcp/surface/choose-surface.ts";
import type { HubControl } from "./hub-control.ts";
import {
  choice,
  fields,
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
 * What a verb does: `relay` is what a process needs that hands on the calls of a client. `look` changes nothing. `change`
 * takes the control key. `person` changes the configuration or shows a secret: a key must never become the right to start
 * a command, so it takes a session of the console that was opened at a terminal.
 */
export type VerbNeed = "relay" | "look" | "change" | "person";

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

/** The verbs of the control API. The server and the clients (`control-api.ts`) are made from this table. */
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
    // Nothing is masked in it.
    show: change(lookUpMs, text("id")),
    approve: change(
      lookUpMs,
      text("id"),
      fields({
        answer: optionalChoice("answer", ["once", "always", "never", "no"]),
        widened: optionalChoice("widened", ["caller", "tool"]),
        confirmed: flag("confirmed"),
        seen: optionalText("seen"),
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
    forRelay: relay(lookUpMs),
    noteSurface: relay(
      lookUpMs,
      fields({
        caller: text("caller"),
        client: optionalText("client"),
        surface: choice("surface", ["full", "search"]),
        why: text("why"),
      }),
    ),
    log: look(lookUpMs),
    attention: look(lookUpMs),
    series: look(lookUpMs, optionalNumber("minutes")),
  },
};

interface AnyVerb {
  readonly area: keyof VerbControl;
  readonly name: string;
  readonly needs: VerbNeed;
  readonly withinMs: number;
  readonly parameters: readonly Parameter<unknown>[];
}

/** The rows of the table as one list. */
export function allVerbs(): readonly AnyVerb[] {
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

function relay<const Rows extends readonly Parameter<unknown>[]>(withinMs: number, ...parameters: Rows): Row<Rows> {
  return { needs: "relay", withinMs, parameters };
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
