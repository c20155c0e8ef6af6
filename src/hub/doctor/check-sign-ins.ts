import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import type { Config } from "../../core/config/config-schema.ts";
import type { Home } from "../../core/files/home.ts";
import type { Log } from "../../core/log.ts";
import type { World } from "../../core/process/world.ts";
import { clientDocumentAddress } from "../../sources/servers/oauth/registration/client-document.ts";
import type { SealingKeyReport } from "../../sources/servers/oauth/store/sealing-keys.ts";
import { checkSecretFile } from "./check-home.ts";
import type { DoctorFinding } from "./finding.ts";

export interface SignInFacts {
  readonly home: Home;
  readonly config: Config;
  readonly env: World["env"];
  readonly uid: number | undefined;
  readonly log: Log;
}

/** How sign-ins are encrypted, and what is wrong with the stored ones. Empty if no server could need one. */
export async function checkSignIns({ home, config, env, uid, log }: SignInFacts): Promise<DoctorFinding[]> {
  const files = await readdir(home.file("tokens")).catch(() => undefined);
  const remote = Object.values(config.servers).filter((server) => server.transport === "http");
  if (files === undefined && remote.length === 0) return [];
  const { sealingKeysOf } = await import("../../sources/servers/oauth/store/open-credential-store.ts");
  const report = await sealingKeysOf({ home, env, log }).describe();
  const key = home.file("tokens", "key");
  return [
    keyFinding(report, existsSync(key) ? key : undefined),
    ...(report.kind === "file" ? (await checkSecretFile(key, "key", uid)).filter(({ level }) => level !== "ok") : []),
    ...(files ?? [])
      .filter((name) => name.includes(".damaged-"))
      .map((name) => asideFinding(home.file("tokens", name))),
    ...Object.entries(config.servers).flatMap(([name, server]) => documentFinding(name, server, config.hub)),
  ];
}

/** `path` is the key file, if it exists: the first sign-in creates it. */
function keyFinding({ kind, because }: SealingKeyReport, path: string | undefined): DoctorFinding {
  if (kind === "keychain") return { level: "ok", what: "sign-ins are encrypted with a key in the system's keychain" };
  if (kind === "passphrase") return { level: "ok", what: `sign-ins are encrypted with a passphrase (${because})` };
  return {
    level: "info",
    what: `sign-ins are encrypted with ${path === undefined ? "a key file" : `the key file ${path}`}, not with the system's keychain (${because})`,
    fix: "export CLAWPORT_TOKENS_PASSPHRASE=…  (if a private file is not enough)",
  };
}

function asideFinding(path: string): DoctorFinding {
  return {
    level: "warn",
    what: `an unreadable sign-in was set aside as ${path}`,
    fix: `clawport auth <server> && rm ${JSON.stringify(path)}`,
  };
}

/** The client document must be where authorization servers can read it. */
function documentFinding(name: string, { auth }: Config["servers"][string], hub: Config["hub"]): DoctorFinding[] {
  const address = auth?.clientMetadataUrl;
  if (address === undefined) return [];
  const served = hub.publicUrl === undefined ? undefined : clientDocumentAddress(hub.publicUrl);
  if (address === served)
    return [{ level: "ok", what: `server ${name} uses the client document ${address}, which the hub serves` }];
  const why =
    served === undefined
      ? "the hub can't serve it without a public address (hub.publicUrl)"
      : `the hub serves ${served}`;
  return [
    {
      level: "info",
      what: `server ${name} uses the client document ${address}, which must be hosted: ${why}`,
      fix: `clawport auth client-document --url ${JSON.stringify(address)} > client.json`,
    },
  ];
}
