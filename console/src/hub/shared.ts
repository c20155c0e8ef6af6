import { computed } from "@preact/signals";
import { hub } from "./control.ts";
import { createLive } from "./live.ts";
import { countWaiting } from "./still-waiting.ts";

/** What the frame of every page shows: read once, kept fresh by events. */
export const status = createLive(() => hub.status.read(), ["status", "servers", "tools-changed", "apps", "config"]);
export const servers = createLive(() => hub.servers.list(), ["servers", "tools-changed", "config"]);
export const approvals = createLive(() => hub.approvals.list(), ["approvals", "pins", "tools-changed"]);

export const toolCount = computed(() => status.value?.sources.reduce((sum, { tools }) => sum + tools, 0));
export const waitingCount = computed(() => countWaiting(approvals.value));
