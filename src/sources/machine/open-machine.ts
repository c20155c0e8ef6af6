import { isDeepStrictEqual } from "node:util";
import type { Source } from "../../catalog/source.ts";
import type { MachineConfig } from "../../core/config/machine-config.ts";
import type { Log } from "../../core/log.ts";
import { createActivity, type Activity } from "./activity.ts";
import { createCallSlots } from "./call-slots.ts";
import { appCapabilities } from "./capabilities/app.ts";
import { clipboardCapabilities } from "./capabilities/clipboard.ts";
import { deviceCapabilities } from "./capabilities/device.ts";
import { execApprovalsGet, execApprovalsSet } from "./capabilities/exec-approvals.ts";
import { gitStatus } from "./capabilities/git-status.ts";
import { locationGet } from "./capabilities/location-get.ts";
import { systemNotify } from "./capabilities/system-notify.ts";
import { systemRunPrepare } from "./capabilities/system-run-prepare.ts";
import { systemRun } from "./capabilities/system-run.ts";
import { systemWhich } from "./capabilities/system-which.ts";
import { openCanvas } from "./canvas/open-canvas.ts";
import type { Capability } from "./capability.ts";
import { createClipboard } from "./clipboard.ts";
import { type Consent, openConsent } from "./consent.ts";
import { openDesktop } from "./desktop/open-desktop.ts";
import type { Recordings, RecordingsOptions } from "./desktop/recordings.ts";
import { readDeviceInfo } from "./device-facts.ts";
import { openExecApprovals } from "./exec/approvals-store.ts";
import { createExecJudge } from "./exec/exec-judge.ts";
import type { GatewayStatus, Machine } from "./machine.ts";
import { createMachineResources } from "./machine-resources.ts";
import { createMachineSource } from "./machine-source.ts";
import { createNotifications, type Notifications } from "./notifications.ts";
import { type CapabilityRegistry, createCapabilityRegistry } from "./registry.ts";

export interface OpenMachineOptions extends Pick<Machine, "env" | "platform" | "homedir" | "version" | "mcp"> {
  readonly config: MachineConfig;
  /** `machine` in the state folder. */
  readonly folder: string;
  /** Names this process, for consent that counts until it ends. */
  readonly session: string;
  readonly log: Log;
  /** Called when a recording begins or ends, or its notification comes or goes. */
  readonly onRecording?: RecordingsOptions["onChange"];
}

/** This computer as a source of tools. */
export interface OpenedMachine {
  readonly source: Source;
  /** What is registered here is offered at every door. */
  readonly registry: CapabilityRegistry;
  readonly consent: Consent;
  readonly activity: Activity;
  readonly notifications: Notifications;
  /** What the gateway may be told of: what works here, is not switched off, and is not for this computer alone. */
  declared(): readonly Capability[];
  /** What is being recorded now. */
  readonly recordings: Pick<Recordings, "list" | "stop">;
  /** Takes up an edit. Calls that run go on; the canvas is closed if it is about the canvas. */
  change(config: MachineConfig): Promise<void>;
  /** How the connection to the gateway is doing, for `app.status` and the resource. */
  reportGateway(status: GatewayStatus): void;
}

/** Resolves when it is known what this computer has. */
export async function openMachine(options: OpenMachineOptions): Promise<OpenedMachine> {
  const { config, folder, session, env, platform, homedir, version, mcp, log } = options;
  // Capabilities read it at each call, so an edit counts from the next one on.
  const settings: MachineConfig = { ...config };
  const activity = createActivity();
  let gateway: GatewayStatus = { state: "off" };
  const machine: Machine = {
    env,
    platform,
    homedir,
    version,
    mcp,
    gateway: () => gateway,
    activity: () => activity.list(),
  };
  const registry = createCapabilityRegistry({ log });
  const consent = openConsent({ file: `${folder}/consent.json`, modes: config.consent, session, log });
  const notifications = createNotifications(machine);
  const clipboard = createClipboard(machine);
  const desktop = openDesktop({
    env,
    platform,
    settings,
    folder,
    notifications,
    log,
    onRecording: options.onRecording,
  });
  const { store } = desktop;
  const canvas = openCanvas({ settings, store, env, platform, homedir, folder: `${folder}/canvas`, log });
  const approvals = openExecApprovals({
    path: `${folder}/exec-approvals.json`,
    log,
    get remoteGrants() {
      return settings.run.remoteGrants;
    },
  });
  const judge = createExecJudge({
    ...machine,
    approvals,
    consent,
    get gatewayApprovals() {
      return settings.run.gatewayApprovals;
    },
  });
  const shown: { readonly at: string; readonly title: string; readonly body: string }[] = [];

  const capabilities: readonly Capability[] = [
    systemRun({ judge, env, settings }),
    systemRunPrepare(judge),
    execApprovalsGet(approvals),
    execApprovalsSet(approvals),
    systemWhich(machine),
    systemNotify({
      notifications,
      onShown(notification) {
        shown.unshift({ at: new Date().toISOString(), ...notification });
        shown.splice(maxShown);
      },
    }),
    ...deviceCapabilities(machine),
    locationGet({ env, platform, settings }),
    gitStatus({ env, platform, homedir, settings }),
    ...clipboardCapabilities(clipboard),
    ...canvas.capabilities,
    ...desktop.capabilities,
    ...appCapabilities({ ...machine, registry, modeOf: consent.modeOf, recordings: () => desktop.recordings.list() }),
  ];
  for (const capability of capabilities) registry.register(capability);
  await registry.probe();

  const resources = createMachineResources(
    {
      activity: () => activity.list(),
      notifications: () => shown,
      device: () => readDeviceInfo(machine),
      gateway: () => gateway,
    },
    desktop.store,
  );
  const slots = createCallSlots(() => settings.maxConcurrent);
  const source = createMachineSource({ registry, slots, consent, resources, settings });
  return {
    source: {
      ...source,
      onChange(listener) {
        const stops = [source.onChange(listener), desktop.store.onChange(listener)];
        return () => stops.forEach((stop) => stop());
      },
      async close() {
        await source.close();
        await clipboard.close();
        await canvas.close();
      },
    },
    registry,
    consent,
    activity,
    notifications,
    recordings: desktop.recordings,
    declared: () =>
      registry
        .list()
        .filter(({ availability }) => availability.ok)
        .map(({ capability }) => capability)
        .filter((capability) => capability.localOnly !== true && consent.modeOf(capability) !== "off"),
    async change(edited) {
      const isOtherCanvas = !isDeepStrictEqual(edited.canvas, settings.canvas);
      Object.assign(settings, edited);
      consent.setModes(edited.consent);
      if (isOtherCanvas) await canvas.reset();
      await registry.probe();
    },
    reportGateway: (status) => void (gateway = status),
  };
}

/** How many notifications are remembered. */
const maxShown = 50;
