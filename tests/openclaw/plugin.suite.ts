import { afterAll, beforeAll, vi } from "vitest";
import { closePluginBench, openPluginBench, setUpMs } from "./bench/plugin-bench.ts";
import { describeAgentTurns } from "./plugin/agent-turns.ts";
import { describeLeaving } from "./plugin/leaving.ts";
import { describeManaging } from "./plugin/managing.ts";
import { describeOtherSources } from "./plugin/other-sources.ts";
import { describeWhoAsks } from "./plugin/who-asks.ts";

vi.setConfig({ testTimeout: 300_000 });
beforeAll(openPluginBench, setUpMs);
afterAll(closePluginBench);

// One gateway for all of them, in this order.
describeAgentTurns();
describeWhoAsks();
describeManaging();
describeOtherSources();
describeLeaving();
