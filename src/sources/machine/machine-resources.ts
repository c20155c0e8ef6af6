import type { ResourceSource } from "../../catalog/source.ts";
import type { Resource } from "../../mcp/messages/resources-and-prompts.ts";
import type { MediaStore } from "./desktop/media-store.ts";
import { Fault } from "../../core/fault.ts";
import { quoted } from "../../core/text/peer-text.ts";

export type MachineResources = ResourceSource;

/** What can be read about this computer: each part returns plain data. */
export interface MachineFacts {
  activity(): unknown;
  notifications(): unknown;
  device(): unknown;
  gateway(): unknown;
}

const parts: readonly { readonly key: keyof MachineFacts; readonly title: string; readonly description: string }[] = [
  {
    key: "activity",
    title: "Recent activity",
    description: "The latest calls of this computer's tools, without arguments.",
  },
  {
    key: "notifications",
    title: "Notifications",
    description: "The notifications that were shown since the node started.",
  },
  { key: "device", title: "Device", description: "Name, model and system of this computer." },
  { key: "gateway", title: "Gateway", description: "Whether this computer is connected to an OpenClaw gateway." },
];

/** The facts, and the latest pictures and recordings for the callers they were made for. */
export function createMachineResources(
  facts: MachineFacts,
  store: Pick<MediaStore, "resources" | "read">,
): MachineResources {
  const always = parts.map(({ key, title, description }) => ({
    uri: uriOf(key),
    name: key,
    title,
    description,
    mimeType: "application/json",
  }));
  let list: readonly Resource[] = always;
  let seen = store.resources();
  return {
    resources() {
      const media = store.resources();
      if (media !== seen) [seen, list] = [media, [...always, ...media]];
      return list;
    },
    resourceTemplates: () => [],
    async readResource(uri, { caller }) {
      const part = parts.find(({ key }) => uriOf(key) === uri);
      if (part === undefined) {
        const media = await store.read(uri, caller);
        if (media !== undefined) return { contents: [{ uri, ...media }] };
        throw new Fault("unknown-resource", `There is no resource at ${quoted(uri)}.`, { detail: { uri } });
      }
      const text = JSON.stringify(await facts[part.key](), undefined, 2);
      return { contents: [{ uri, mimeType: "application/json", text }] };
    },
    // Nothing reports when these change: clients read them again.
    watchResource: () => Promise.resolve(() => {}),
  };
}

const uriOf = (key: string): string => `machine://${key}`;
