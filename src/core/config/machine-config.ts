import { Type } from "./schema-type.ts";
import { isRecord } from "../is-record.ts";

const consentMode = Type.Enum(["off", "ask", "session", "always"], {
  description:
    "`off`: never. `ask`: each call asks. `session`: the first call asks, and the answer counts until the node stops. `always`: no question.",
});

const fix = Type.Object(
  {
    lat: Type.Number({ minimum: -90, maximum: 90, description: "Latitude in degrees." }),
    lon: Type.Number({ minimum: -180, maximum: 180, description: "Longitude in degrees." }),
    accuracyMeters: Type.Number({ default: 100, minimum: 0, description: "How exact it is." }),
  },
  { additionalProperties: false, description: "Where this computer is, for one that does not move." },
);

const canvas = Type.Object(
  {
    trustedOrigins: Type.Array(Type.String({ pattern: "^https?://[^/?#@\\s]+/?$", maxLength: 300 }), {
      default: [],
      description:
        "Where pages in the canvas may come from and what they may talk to, like `https://example.com` or `http://127.0.0.1:3000`. Everything else is out of reach for them.",
    }),
    privateAddresses: Type.Boolean({
      default: false,
      description:
        "Whether the name of a trusted origin may resolve to a private network (10.x.x.x, 192.168.x.x …). This computer is reached by `localhost` or its address only.",
    }),
    browser: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 4096,
        description: "The program to use instead of the Chromium in `PATH`: a name, or an absolute path.",
      }),
    ),
    sandbox: Type.Boolean({
      default: true,
      description: "Chromium's own sandbox. As root there is none: only `false` makes the canvas work there.",
    }),
  },
  { additionalProperties: false, default: {}, description: "The tools `canvas.*`: pages in a window of their own." },
);

export type CanvasConfig = Type.Static<typeof canvas>;

const testDevice = Type.Object(
  {
    id: Type.String({ pattern: "^test:[a-z0-9-]{1,40}$", description: "Its name in `camera.list`: `test:pattern`." }),
    source: Type.String({
      minLength: 1,
      maxLength: 1000,
      description: "A filter graph of ffmpeg: `testsrc2=size=1280x720:rate=30`.",
    }),
  },
  { additionalProperties: false },
);

/** The `machine` section: this computer as a source of tools. */
export const machineSchema = Type.Object(
  {
    enabled: Type.Boolean({
      default: false,
      description: "Whether `clawport up` also offers the tools of this computer. `clawport node` always does.",
    }),
    enableNodeMode: Type.Optional(
      Type.Boolean({
        description:
          "Whether `clawport node` connects to an OpenClaw gateway as a node, and `clawport up` if `enabled` is set.",
      }),
    ),
    gatewayUrl: Type.Optional(
      Type.String({
        pattern: "^wss?://[^@?#\\s]+$",
        maxLength: 2000,
        description:
          "The gateway to connect to, without a login or a query; the one that OpenClaw's own programs use unless given. Pair with it by `clawport node pair --token …` once.",
      }),
    ),
    enableMcpServer: Type.Optional(
      Type.Boolean({
        description:
          "Whether `clawport node` serves MCP clients on this computer. If neither switch is set, it does nothing else. `clawport up` always serves them.",
      }),
    ),
    maxConcurrent: Type.Integer({
      default: 8,
      minimum: 1,
      maximum: 1000,
      description: "Calls that run at the same time. Another one waits 50 ms, then gets 503.",
    }),
    callTimeoutMs: Type.Integer({
      default: 660_000,
      minimum: 1000,
      maximum: 86_400_000,
      description: "How long a call may take, once it runs.",
    }),
    consent: Type.Record(Type.String({ pattern: "^[a-z][A-Za-z0-9]*(\\.[A-Za-z0-9]+){0,3}$" }), consentMode, {
      additionalProperties: false,
      default: {},
      description: "What needs your consent: by tool (`clipboard.read`) or by category (`clipboard`).",
    }),
    run: Type.Object(
      {
        remoteGrants: Type.Boolean({
          default: false,
          description:
            "Whether callers may loosen the exec approvals with `system.execApprovals.set`. Without it they can only tighten them.",
        }),
        gatewayApprovals: Type.Boolean({
          default: false,
          description:
            "Whether an approval that the OpenClaw gateway reports counts, so that you are not asked again on this computer.",
        }),
        pidNamespace: Type.Enum(["auto", "off"], {
          default: "auto",
          description:
            "`auto`: commands run in a PID namespace of their own if the system allows that, so that nothing outlives them. `off`: commands see all processes of this computer, and one that hides well can stay behind.",
        }),
      },
      { additionalProperties: false, default: {}, description: "The tool `system.run`." },
    ),
    location: Type.Object(
      { static: Type.Optional(fix) },
      { additionalProperties: false, default: {}, description: "The tool `location.get`." },
    ),
    camera: Type.Object(
      {
        testDevices: Type.Array(testDevice, {
          default: [],
          description: "Pictures that ffmpeg makes itself, listed as cameras, for trying things out.",
        }),
      },
      { additionalProperties: false, default: {}, description: "The tools `camera.*`." },
    ),
    microphone: Type.String({
      default: "default",
      pattern: "^[A-Za-z0-9][^\\u0000-\\u001f]{0,200}$",
      description: "The microphone, as PulseAudio, PipeWire or ALSA calls it (`pactl list short sources`).",
    }),
    stt: Type.Object(
      {
        command: Type.Array(Type.String({ maxLength: 4096 }), {
          default: [],
          description:
            "The program that turns speech into text for `stt.transcribe`, with its arguments. `{file}` becomes the WAV file (16 kHz, mono), `{language}` the language or `auto`. What it prints is the text.",
        }),
      },
      { additionalProperties: false, default: {}, description: "The tools `stt.*`." },
    ),
    git: Type.Object(
      {
        roots: Type.Array(Type.String({ minLength: 1, maxLength: 4096 }), {
          default: [],
          description: "Folders whose repositories `git.status` may look at; `~` is your home folder.",
        }),
      },
      { additionalProperties: false, default: {}, description: "The tool `git.status`." },
    ),
    canvas,
  },
  { additionalProperties: false, default: {}, description: "Tools of this computer." },
);

export type MachineConfig = Type.Static<typeof machineSchema>;

/** The names that the tray gave its switches. */
const trayNames: Readonly<Record<string, string>> = {
  EnableNodeMode: "enableNodeMode",
  EnableMcpServer: "enableMcpServer",
};

/**
 * Takes over what the tray wrote. Its oldest switch, `McpOnlyMode`, meant an MCP server without a gateway; nothing writes
 * it any more. Switches under their present names take precedence.
 */
export function migrateMachine(value: unknown): unknown {
  if (!isRecord(value) || !isRecord(value["machine"])) return value;
  const { McpOnlyMode: mcpOnly, ...rest } = value["machine"];
  const renamed = Object.entries(rest).filter(([name]) => !(name in trayNames));
  const old = Object.entries(rest).flatMap(([name, flag]) =>
    trayNames[name] === undefined ? [] : [[trayNames[name], flag]],
  );
  const legacy = mcpOnly === true ? { enableNodeMode: false, enableMcpServer: true } : {};
  const odd = mcpOnly === undefined || typeof mcpOnly === "boolean" ? {} : { McpOnlyMode: mcpOnly };
  return { ...value, machine: { ...legacy, ...odd, ...Object.fromEntries(old), ...Object.fromEntries(renamed) } };
}

/** The names in a `machine` section that only the tray wrote. */
export const trayKeys: readonly string[] = ["McpOnlyMode", ...Object.keys(trayNames)];

export interface MachineSwitches {
  readonly gateway: boolean;
  readonly mcp: boolean;
}

/** What `clawport node` runs. If neither switch is set, it serves MCP. */
export function machineSwitches({ enableNodeMode, enableMcpServer }: MachineConfig): MachineSwitches {
  const gateway = enableNodeMode === true;
  return { gateway, mcp: enableMcpServer ?? !gateway };
}
