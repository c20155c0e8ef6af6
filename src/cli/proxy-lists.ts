import { Fault } from "../core/fault.ts";
import type { Column } from "../hub/presentation/presentation.ts";
import type { NatsOptions } from "../sources/apps/nats/nats-connection.ts";
import type { StoredSession } from "../sources/apps/store/session-store.ts";
import type { InstanceFacts } from "../sources/apps/nats/bus-messages.ts";
import type { CommandContext } from "./command-context.ts";
import { localTime } from "./output/style.ts";

/** What several instances of a proxy share: their sessions, or the instances themselves. */
export async function listShared(
  context: CommandContext,
  what: "sessions" | "instances",
  nats: NatsOptions | undefined,
): Promise<void> {
  if (nats === undefined)
    throw new Fault("usage", `\`clawport proxy ${what}\` needs the NATS that the instances share: add --nats <url>.`);
  const { openSharedApps } = await import("../hub/engine/apps/open-shared-apps.ts");
  const { renderTable } = await import("./output/table.ts");
  const shared = await openSharedApps(nats, context.log);
  try {
    if (what === "instances") {
      const instances = await shared.instances();
      const text =
        instances.length === 0
          ? "No instance is running with this prefix and this key (OPENCLAW_PROXY_NATS_KEY, or the tokens)."
          : renderTable(instances, instanceColumns, context);
      return context.answer({ instances }, text);
    }
    await using store = await shared.openStore();
    const now = Date.now();
    const found = (await store.all()).filter(({ expiresAt }) => expiresAt > now);
    // Without tokens an id opens its session, so it is shown in part.
    const sessions = found.map(({ record, expiresAt }) => ({
      id: `${record.id.slice(0, 4)}…`,
      deviceName: record.deviceName,
      chatId: record.chatId,
      tools: record.tools.length,
      createdAt: record.createdAt,
      expiresAt,
    }));
    context.answer(
      { sessions },
      found.length === 0 ? "There are no sessions." : renderTable(found, sessionColumns, context),
    );
  } finally {
    await shared.close();
  }
}

const instanceColumns: readonly Column<InstanceFacts>[] = [
  { title: "INSTANCE", text: ({ instance }) => instance },
  { title: "HOST", text: ({ host, pid }) => `${host} (PID ${pid})` },
  { title: "APPS", text: ({ bridges }) => String(bridges) },
  { title: "CALLS SENT", text: ({ sent }) => String(sent) },
  { title: "CALLS RUN", text: ({ served }) => String(served) },
  { title: "SINCE", text: ({ startedAt }) => localTime(new Date(startedAt).toISOString()) },
];

const sessionColumns: readonly Column<StoredSession>[] = [
  { title: "SESSION", text: ({ record }) => `${record.id.slice(0, 4)}…` },
  { title: "DEVICE", text: ({ record }) => record.deviceName },
  { title: "CHAT", text: ({ record }) => record.chatId },
  { title: "TOOLS", text: ({ record }) => String(record.tools.length) },
  { title: "EXPIRES", text: ({ expiresAt }) => localTime(new Date(expiresAt).toISOString()) },
];
