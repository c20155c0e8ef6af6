import { Fault, messageOf } from "../../core/fault.ts";
import { openStateFile } from "../../core/files/state-file.ts";
import { asRecord, isRecord } from "../../core/is-record.ts";
import type { Log } from "../../core/log.ts";
import { createDeviceKey, type DeviceIdentity, deviceIdentity } from "../../openclaw/device-identity.ts";
import type { DeviceTokens } from "../../openclaw/open-node-link.ts";

/** What this computer is to gateways: a key that stays the same, and the tokens they have given it. */
export interface NodeDevice {
  readonly identity: DeviceIdentity;
  /** The token for one gateway, by its host and port. It is never shown to another. */
  tokensFor(gateway: string): DeviceTokens;
  /** Resolves when every token is on the disk. */
  saved(): Promise<void>;
}

interface DeviceFile {
  readonly version: 1;
  /** PKCS #8, PEM. */
  readonly privateKey?: string;
  /** By host and port of the gateway. */
  readonly tokens: Readonly<Record<string, string>>;
}

const maxTokenLength = 4096;
const maxGateways = 50;

/** Makes the key at the first use. A damaged file is set aside and reported; the device has to be paired again then. */
export async function openNodeDevice(path: string, log: Log): Promise<NodeDevice> {
  const file = openStateFile<DeviceFile>({ path, parse, empty: { version: 1, tokens: {} }, log });
  const { privateKey = "", tokens: kept } = await file.update((current) =>
    current.privateKey === undefined ? { ...current, privateKey: createDeviceKey() } : current,
  );
  const tokens = new Map(Object.entries(kept));
  let saving: Promise<unknown> = Promise.resolve();

  function save(gateway: string, token: string | undefined): void {
    const change = (current: DeviceFile): DeviceFile => {
      const { [gateway]: _, ...others } = current.tokens;
      const entries = Object.entries(others).slice(1 - maxGateways);
      return { ...current, tokens: Object.fromEntries(token === undefined ? entries : [...entries, [gateway, token]]) };
    };
    saving = saving
      .then(() => file.update(change))
      .catch((error: unknown) => log.warn(`could not save the token of the gateway: ${messageOf(error)}`, { path }));
  }

  return {
    identity: deviceIdentity(privateKey),
    tokensFor: (gateway) => ({
      load: () => tokens.get(gateway),
      store(token) {
        if (token === tokens.get(gateway) || token === "" || token.length > maxTokenLength) return;
        tokens.set(gateway, token);
        save(gateway, token);
      },
      clear() {
        if (tokens.delete(gateway)) save(gateway, undefined);
      },
    }),
    saved: async () => void (await saving),
  };
}

function parse(value: unknown): DeviceFile {
  const { version, privateKey, tokens } = asRecord(value);
  if (version === 1 && isRecord(tokens) && Object.values(tokens).every((token) => typeof token === "string")) {
    const known = tokens as Readonly<Record<string, string>>;
    if (privateKey === undefined) return { version, tokens: known };
    if (typeof privateKey === "string" && deviceIdentity(privateKey)) return { version, privateKey, tokens: known };
  }
  throw new Fault("corrupt", "This is not the identity of a device.");
}
