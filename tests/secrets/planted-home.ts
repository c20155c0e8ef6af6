import { generateKeyPairSync } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeCertificates } from "../servers/fixtures/make-certificates.ts";
import { makePlace, type Place } from "../support/cli/run-clawport.ts";
import type { SecretPlace } from "./secret-places.ts";
import { program } from "../setup/programs.ts";

const leaky = program("tests/servers/fixtures/leaky-stdio.ts");

/** The servers that a planted home talks to. */
export interface Peers {
  readonly mcp: string;
  readonly failing: string;
  readonly refusing: string;
  readonly collector: string;
}

export interface PlantedHome extends Place {
  /** Where it is planted, and the secret. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Where the configuration with the other way to transcribe is. */
  readonly otherConfig: string;
  /** Another one, in which several instances share their apps. */
  readonly natsConfig: string;
  readonly audio: string;
  /** A folder with a `.env` file for the app proxy, as its own place. */
  readonly project: Place;
}

/** A home with a secret of its own in every place that can hold one. None of them looks like a secret by its shape. */
export async function plantHome(peers: Peers): Promise<PlantedHome> {
  const place = await makePlace();
  await mkdir(place.home, { mode: 0o700 });
  const secrets = new Map<string, string>();
  /** With characters that an address, a header and JSON write differently. */
  const plant = (where: SecretPlace | `${SecretPlace} ${string}` | `env ${string}` | `.env ${string}`): string => {
    const secret = `q/${where.replaceAll(/[^a-z]/gi, "")}+${secrets.size}.z`;
    secrets.set(where, secret);
    return secret;
  };
  const outside = (name: string, where: SecretPlace): string => {
    place.env[name] = plant(`${where} in ${name}`);
    return `$${name}`;
  };
  const keyFile = async (name: string, text: string): Promise<string> => {
    const path = join(place.folder, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };
  /** A private key; the secret is a line of it. */
  const privateKey = (where: SecretPlace): string => {
    const { privateKey: key } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const pem = String(key.export({ type: "pkcs8", format: "pem" }));
    secrets.set(where, pem.split("\n")[1] ?? "");
    return pem;
  };
  const jwt = (where: SecretPlace): string => {
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const signature = plant(where).replaceAll(/[^a-z0-9]/gi, "");
    secrets.set(where, signature);
    return `${part({ alg: "ES256" })}.${part({ sub: "me", exp: 4e9 })}.${signature}`;
  };
  const address = (origin: string, where: SecretPlace): string =>
    `${origin}?access=${encodeURIComponent(plant(where))}`;

  /** Prints all that it was configured with, and fails in its own way. */
  const command = async (when: string) => {
    const before = secrets.size;
    const LEAK_FILE = join(place.folder, `leaks-${when}.json`);
    const flag = ["--token", plant(`servers.*.args[] of ${when}`), outside(`ARG_${when}`, "servers.*.args[]")];
    const own = { SOME_SETTING: plant(`servers.*.env.* of ${when}`), OTHER: outside(`VAR_${when}`, "servers.*.env.*") };
    await writeFile(LEAK_FILE, JSON.stringify([...secrets.values()].slice(before)));
    return { command: process.execPath, args: [leaky, ...flag], env: { LEAK_FILE, LEAK_AT: when, ...own } };
  };
  const { client } = await makeCertificates(place.folder);
  secrets.set("servers.*.tls.key", (await readFile(client.key, "utf8")).split("\n")[1] ?? "");
  const authorizationServerUrl = peers.refusing;
  const signingIn = { clientId: "clawport", authorizationServerUrl };
  const servers = {
    leaky: await command("crash"),
    start: await command("start"),
    list: await command("list"),
    web: { url: address(peers.mcp, "servers.*.url"), headers: { "x-own": plant("servers.*.headers.*") } },
    failing: { url: `${peers.failing}/mcp`, headers: { cookie: outside("COOKIE_VALUE", "servers.*.headers.*") } },
    refusing: { url: `${peers.refusing}/mcp`, apiKey: plant("servers.*.apiKey") },
    keyed: { url: `${peers.mcp}/keyed`, apiKey: outside("KEY_VALUE", "servers.*.apiKey") },
    mutual: { url: "https://127.0.0.1:9/mcp", tls: { cert: client.cert, key: client.key } },
    client: {
      url: `${peers.refusing}/client`,
      auth: { ...signingIn, grant: "client-credentials", clientSecret: plant("servers.*.auth.clientSecret") },
    },
    registering: {
      url: `${peers.refusing}/registering`,
      auth: { authorizationServerUrl, initialAccessToken: plant("servers.*.auth.initialAccessToken") },
    },
    signing: {
      url: `${peers.refusing}/signing`,
      auth: {
        ...signingIn,
        grant: "client-credentials",
        privateKeyFile: await keyFile("client.pem", privateKey("servers.*.auth.privateKeyFile")),
      },
    },
    workload: {
      url: `${peers.refusing}/workload`,
      auth: {
        ...signingIn,
        grant: "workload",
        assertionFile: await keyFile("workload.jwt", jwt("servers.*.auth.assertionFile")),
      },
    },
    enterprise: {
      url: `${peers.refusing}/enterprise`,
      auth: {
        ...signingIn,
        grant: "enterprise",
        idp: {
          issuer: peers.refusing,
          clientId: "clawport",
          clientSecret: plant("servers.*.auth.idp.clientSecret"),
          idTokenFile: await keyFile("id.jwt", jwt("servers.*.auth.idp.idTokenFile")),
        },
      },
    },
  };
  const model = {
    name: "mock-1",
    url: `http://who:${encodeURIComponent(plant("agent.model.url"))}@${new URL(peers.refusing).host}/v1`,
    apiKey: plant("agent.model.apiKey"),
  };
  const transcribe = "console.error(process.argv, process.env); process.exit(3)";
  const agent = {
    backend: "model",
    model,
    transcription: {
      command: [process.execPath, "-e", transcribe, "{file}", "--api-key", plant("agent.transcription.command[]")],
      env: { ASR_SETTING: plant("agent.transcription.env.*") },
    },
  };
  const other = {
    ...agent,
    model: { ...model, url: `${peers.refusing}/v1` },
    transcription: {
      url: address(peers.refusing, "agent.transcription.url"),
      apiKey: plant("agent.transcription.apiKey"),
    },
  };
  const stt = { command: [process.execPath, "-e", transcribe, "{file}", "--api-key", plant("machine.stt.command[]")] };
  const embeddings = { url: `${peers.refusing}/v1`, model: "words-1", apiKey: plant("catalog.embeddings.apiKey") };
  const signedAddress = `http://who:${encodeURIComponent(plant("catalog.embeddings.url"))}@${new URL(peers.refusing).host}/v1`;
  const config = {
    servers,
    catalog: { embeddings },
    agent,
    machine: { stt },
    apps: { serve: true, port: 0 },
    log: { level: "debug" },
    audit: { chain: true },
  };
  const configFile = join(place.home, "clawport.json5");
  const otherConfig = join(place.folder, "other.json5");
  await writeFile(configFile, JSON.stringify(config));
  await writeFile(
    otherConfig,
    JSON.stringify({ agent: other, catalog: { embeddings: { ...embeddings, url: signedAddress } } }),
  );
  const nats = {
    url: `nats://who:${encodeURIComponent(plant("apps.nats.url"))}@127.0.0.1:9`,
    credentials: await keyFile("nats.creds", plant("apps.nats.credentials")),
  };
  const natsConfig = join(place.folder, "nats.json5");
  await writeFile(natsConfig, JSON.stringify({ apps: { serve: true, port: 0, nats } }));
  const audio = await keyFile("speech.mp3", "ID3\u0003 buy milk");

  const collector = new URL(peers.collector);
  collector.username = "who";
  collector.password = plant("env OTEL_EXPORTER_OTLP_ENDPOINT");
  Object.assign(place.env, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.href,
    OTEL_EXPORTER_OTLP_HEADERS: `x-key=${encodeURIComponent(plant("env OTEL_EXPORTER_OTLP_HEADERS"))}`,
    OTEL_BSP_SCHEDULE_DELAY: "50",
    OTEL_METRIC_EXPORT_INTERVAL: "200",
    CLAWPORT_TOKENS_PASSPHRASE: plant("env CLAWPORT_TOKENS_PASSPHRASE"),
    CLAWPORT_MODEL_KEY: plant("env CLAWPORT_MODEL_KEY"),
    ANTHROPIC_API_KEY: plant("env ANTHROPIC_API_KEY"),
    OPENAI_API_KEY: plant("env OPENAI_API_KEY"),
    GEMINI_API_KEY: plant("env GEMINI_API_KEY"),
    OPENCLAW_GATEWAY_TOKEN: plant("env OPENCLAW_GATEWAY_TOKEN"),
    OPENCLAW_GATEWAY_PASSWORD: plant("env OPENCLAW_GATEWAY_PASSWORD"),
    OPENCLAW_PROXY_APP_TOKEN: plant("env OPENCLAW_PROXY_APP_TOKEN"),
    OPENCLAW_PROXY_OPENCLAW_TOKEN: plant("env OPENCLAW_PROXY_OPENCLAW_TOKEN"),
    OPENCLAW_PROXY_OPERATOR_TOKEN: plant("env OPENCLAW_PROXY_OPERATOR_TOKEN"),
    UNRELATED_PASSWORD: plant("env UNRELATED_PASSWORD"),
  });
  const folder = join(place.folder, "project");
  await mkdir(folder);
  await writeFile(join(folder, ".env"), `OPENCLAW_PROXY_APP_TOKEN=${plant(".env OPENCLAW_PROXY_APP_TOKEN")}\n`);
  const others = Object.entries(place.env).filter(([name]) => !name.startsWith("OPENCLAW_PROXY_"));
  const project: Place = { ...place, folder, env: Object.fromEntries(others) };

  return { ...place, secrets, otherConfig, natsConfig, audio, project };
}
