import { formatPath } from "../../../core/config/config-path.ts";
import type { ConfigLocation } from "../../../core/config/find-config.ts";
import { type CageConfig, cageConfigOf } from "../../../core/config/sandbox-config.ts";
import { Fault } from "../../../core/fault.ts";
import type { Home } from "../../../core/files/home.ts";
import type { Log } from "../../../core/log.ts";
import type { Env } from "../../../core/process/child-env.ts";
import { readVersion } from "../../../core/version.ts";
import { defineServers, type ServerDefinition, unknownServer } from "../../../sources/servers/definition.ts";
import { missingServices } from "../../../sources/servers/sandbox/session-services.ts";
import { type CageProposal, type CageNeed, proposeCage } from "../../../sources/servers/sandbox/trial/propose-cage.ts";
import { runTrial, type Trial } from "../../../sources/servers/sandbox/trial/run-trial.ts";
import { openSandboxes, ownFolders } from "../../engine/servers/open-sandboxes.ts";
import { guardRecursion } from "../../engine/servers/recursion-guard.ts";
import { loadNamedConfig } from "../../state/load-named-config.ts";

/** A configuration with the server to try in it; it need not be in the file yet. */
export interface TrialDraft {
  readonly path: string;
  readonly location: ConfigLocation;
  readonly text: string;
  readonly name: string;
}

export interface TrialHost {
  readonly home: Home;
  readonly env: Env;
  readonly homedir: string;
  readonly log: Log;
  readonly signal: AbortSignal;
  /**
   * Whether the server may have what this round adds. What its own settings name is not asked about, since the owner
   * wrote them.
   */
  accept(proposal: CageProposal): Promise<boolean>;
}

/** The cage that was found for a server. */
export interface FoundCage {
  readonly trial: Trial;
  /** What to write: `sandbox`, and the variables that give it what acts for the user. */
  readonly settings: { readonly sandbox: unknown; readonly env?: Readonly<Record<string, string>> };
  /** Whether the server was tried with all of it. */
  readonly isTried: boolean;
  readonly withheld: readonly string[];
  readonly services: readonly string[];
}

const maxRounds = 6;

/** Runs a server in a cage again and again, each time with what it was refused before and the user accepts. */
export async function findCage(draft: TrialDraft, host: TrialHost): Promise<FoundCage> {
  const { env, home, homedir, log, signal } = host;
  const definition = await define(draft, host);
  const { transport } = definition;
  if (transport.kind !== "stdio")
    throw new Fault("usage", `${draft.name} has an address: there is no process here to put into a sandbox.`);
  const serverEnv = guardRecursion(env, draft.path);
  const sandboxes = openSandboxes({ home, givenConfig: draft.path, env: serverEnv, homedir, log });
  const options = {
    sandboxes,
    env: serverEnv,
    version: readVersion(),
    signal,
    keptFolder: home.file("sandbox"),
    ownFolders: ownFolders(home, serverEnv),
  };
  let cage = cageConfigOf(transport.sandbox) ?? cageConfigOf("on")!;
  const needs: CageNeed[] = [];
  for (let round = 1; ; round++) {
    const trial = await runTrial(definition, cage, options);
    signal.throwIfAborted();
    needs.push(...trial.needs);
    const place = { home: homedir, program: trial.program };
    const owners = proposeCage(cage, needs.filter(({ from }) => from === "settings"), place); // prettier-ignore
    if (owners.added.length > 0 && round < maxRounds) {
      cage = owners.cage;
      continue;
    }
    const proposal = proposeCage(cage, needs, place);
    if (proposal.added.length > 0 && round < maxRounds && (await host.accept(proposal))) {
      cage = proposal.cage;
      continue;
    }
    const { command, args, env: given } = transport;
    const missing = missingServices({ command, args, given, said: trial.said, sockets: trial.sockets }, env);
    const variables = Object.assign({}, ...missing.map((each) => each.env)) as Record<string, string>;
    return {
      trial,
      settings: {
        sandbox: settingOf(proposal.cage, homedir),
        ...(missing.length > 0 && { env: variables }),
      },
      isTried: proposal.added.length === 0 && missing.length === 0,
      withheld: proposal.withheld,
      services: missing.map(({ service }) => service),
    };
  }
}

async function define({ path, location, text, name }: TrialDraft, { home, env }: TrialHost): Promise<ServerDefinition> {
  const loaded = await loadNamedConfig({ path, home: home.path, env, text }, location);
  const settings = JSON.stringify(loaded.config.servers[name] ?? {});
  const withheld = loaded.isWithheld === true ? (loaded.references ?? []) : [];
  if (withheld.some((reference) => settings.includes(JSON.stringify(reference).slice(1, -1)))) {
    const advice = `Add ${name} without \`--sandbox\`, then run \`clawport sandbox try ${name} --trust\`.`;
    throw new Fault("untrusted", `Its secrets are looked up only in a configuration that you trust. ${advice}`);
  }
  const own = formatPath(["servers", name]);
  const waiting = loaded.waiting.find((problem) => problem.path.startsWith(own));
  if (waiting !== undefined) throw new Fault("unavailable", `${waiting.path} ${waiting.message}.`);
  const { definitions } = defineServers(loaded.config);
  const found = definitions.find((each) => each.name === name);
  if (found === undefined)
    throw unknownServer(
      name,
      definitions.map((each) => each.name),
    );
  return found;
}

/** As a person would write it: only what is there. */
function settingOf(cage: CageConfig, homedir: string): unknown {
  const short = (path: string): string => (path.startsWith(`${homedir}/`) ? `~${path.slice(homedir.length)}` : path);
  const usual = cageConfigOf("on")!;
  const limits = Object.fromEntries(
    Object.entries(cage.limits).filter(([key, value]) => usual.limits[key as keyof typeof usual.limits] !== value),
  );
  const own = {
    ...(cage.read.length > 0 && { read: cage.read.map(short) }),
    ...(cage.write.length > 0 && { write: cage.write.map(short) }),
    ...(cage.network !== false && { network: cage.network }),
    ...(cage.env.length > 0 && { env: cage.env }),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
  return Object.keys(own).length === 0 ? "on" : own;
}
