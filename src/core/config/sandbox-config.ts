import { isIP } from "node:net";
import type { ConfigFinding } from "./check-value.ts";
import { Type } from "./schema-type.ts";

const paths = (description: string) => {
  return Type.Array(Type.String({ minLength: 1, pattern: "^[~/]" }), { default: [], description });
};

const limits = Type.Object(
  {
    memory: Type.Optional(
      Type.Integer({ minimum: 16_777_216, description: "Bytes of data that each of its processes may have." }),
    ),
    processes: Type.Integer({
      default: 512,
      minimum: 1,
      description: "Processes and threads that it may have at once. Not limited if Clawport runs as root.",
    }),
    cpu: Type.Optional(
      Type.Integer({ minimum: 1, description: "Seconds of processor time that each of its processes may use." }),
    ),
    freeDisk: Type.Integer({
      default: 536_870_912,
      minimum: 0,
      description: "Bytes that must stay free on the disk with its folder; below that it is stopped.",
    }),
  },
  { additionalProperties: false, default: {}, description: "What it may use of the computer." },
);

const cage = Type.Object(
  {
    read: paths("Files and folders that it may read, besides the system's own. `~` is your home folder."),
    write: paths("Files and folders that it may read and change."),
    network: Type.Union(
      [
        Type.Boolean({ description: "Whether it has the whole network, this computer's own ports included." }),
        Type.Array(Type.String({ minLength: 1, maxLength: 300, description: "`host`, `host:port` or `*.domain`." })),
      ],
      {
        default: false,
        description:
          "What it may connect to: everything, nothing, or these hosts through Clawport's proxy (ports 443 and 80 unless one is given).",
      },
    ),
    env: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description:
        "Variables of Clawport's environment that it gets, besides the path, the home folder and the language.",
    }),
    limits,
  },
  { additionalProperties: false },
);

/** How far the command of a server is kept from the rest of the computer. */
export const sandboxSchema = Type.Union([Type.Enum(["state", "on", "off"]), cage], {
  default: "state",
  description:
    "What the command can't reach (Linux). `state`: Clawport's state folder and sockets, and what acts for you: the session bus, the display, ssh-agent and container engines, unless its `env` names them. `on`: everything but the system's programs and a folder of its own; no network. An object: as `on`, with what it names. `off`: nothing is hidden.",
});

export type SandboxConfig = Type.Static<typeof sandboxSchema>;
/** What a cage gives. */
export type CageConfig = Type.Static<typeof cage>;

const closed: CageConfig = {
  read: [],
  write: [],
  network: false,
  env: [],
  limits: { processes: 512, freeDisk: 536_870_912 },
};

/** What a command in a cage of its own is given; undefined if it has none. */
export function cageConfigOf(sandbox: SandboxConfig): CageConfig | undefined {
  if (sandbox === "off" || sandbox === "state") return undefined;
  if (sandbox === "on") return closed;
  return { ...sandbox, limits: { ...closed.limits, ...sandbox.limits } };
}

/** What a command in a cage of its own may reach, in one line: `reads ~/notes, writes nothing, network api.github.com`. */
export function cageText({ read, write, network, env }: CageConfig, homedir: string): string {
  const short = (path: string): string => (path.startsWith(`${homedir}/`) ? `~${path.slice(homedir.length)}` : path);
  const list = (words: readonly string[]): string => (words.length === 0 ? "nothing" : words.map(short).join(" "));
  return [
    `reads ${list([...read, ...write])}`,
    `writes ${list(write)}`,
    network === true ? "the whole network" : network === false ? "no network" : `network ${list(network)}`,
    ...(env.length === 0 ? [] : [`variables ${env.join(" ")}`]),
  ].join(", ");
}

/** A host that a command may connect to. */
export interface NetworkTarget {
  /** Without the brackets of an IPv6 address; `*.example.com` for all names in that domain. */
  readonly host: string;
  readonly ports: readonly number[];
}

/** Undefined if the text is not a host, with or without a port. */
export function parseNetworkTarget(text: string): NetworkTarget | undefined {
  const [, bracketed, plain = "", port] = /^(?:\[([\da-f:.]+)\]|([^\s:/[\]]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = (bracketed ?? plain).toLowerCase();
  const isName = /^(?:\*\.)?[a-z\d_](?:[a-z\d_-]*[a-z\d_])?(?:\.[a-z\d_](?:[a-z\d_-]*[a-z\d_])?)*\.?$/.test(host);
  const isGood = bracketed === undefined ? isName || isIP(host) === 4 : isIP(host) === 6;
  if (!isGood || (port !== undefined && (Number(port) === 0 || Number(port) > 65_535))) return undefined;
  return { host, ports: port === undefined ? [443, 80] : [Number(port)] };
}

export function checkSandbox(sandbox: SandboxConfig, pidNamespace: "auto" | "off"): readonly ConfigFinding[] {
  const given = cageConfigOf(sandbox);
  if (given === undefined) return [];
  const targets = Array.isArray(given.network) ? given.network : [];
  return [
    ...(pidNamespace === "off"
      ? [{ path: ["pidNamespace"], message: "can't be off for a command with a cage of its own (`sandbox`)" }]
      : []),
    ...targets.flatMap((text, index) =>
      parseNetworkTarget(text) === undefined
        ? [
            {
              path: ["sandbox", "network", index],
              message: "is not a host; write it like api.example.com or api.example.com:443",
            },
          ]
        : [],
    ),
  ];
}
