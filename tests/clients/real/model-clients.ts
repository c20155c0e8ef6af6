import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { installPackage } from "../../../conformance/install-package.ts";
import { makeHome } from "../../openclaw/bench/make-home.ts";
import { openClawVersion } from "../../openclaw/bench/pinned.ts";
import { freePort } from "../../support/free-port.ts";
import type { Place } from "../../support/cli/run-clawport.ts";
import { runClient } from "./run-client.ts";

/** A client that works with a model. */
export interface ModelClient {
  /** As `clawport install` knows it. */
  readonly id: string;
  /** Installs the pinned version from npm, once. Returns the folder of the package. */
  install(): Promise<string>;
  /** Points it at the scripted model, in its own files. Returns more variables for it. */
  prepare(place: Place, modelUrl: string): Promise<Readonly<Record<string, string>>>;
  /** Over HTTP, its first call after a restart of the hub fails, and the next one works. */
  readonly losesCallOverHttp?: boolean;
  /** One turn without a terminal, in which it may use every tool of the hub. Returns what it printed. */
  turn(folder: string, place: Place): Promise<string>;
}

/** The slowest first, so that the others run meanwhile. */
export const modelClients: readonly ModelClient[] = [
  {
    id: "openclaw",
    losesCallOverHttp: true,
    install: () => installPackage("openclaw", openClawVersion, "openclaw"),
    async prepare({ folder }, modelUrl) {
      const port = await freePort();
      return makeHome({ folder: join(folder, "claw"), port, token: "any", modelUrl: `${modelUrl}/v1` });
    },
    turn: (folder, place) =>
      runClient(place, join(folder, "openclaw.mjs"), ["agent", "--local", "--agent", "main", "--message", "go"]),
  },
  {
    id: "opencode",
    install: () => installPackage("opencode-ai", "1.18.33", "opencode"),
    async prepare({ folder }, modelUrl) {
      const model = { name: "Mock", modalities: { input: ["text", "image"], output: ["text"] }, attachment: true };
      const options = { baseURL: `${modelUrl}/v1`, apiKey: "any" };
      const provider = { mock: { npm: "@ai-sdk/openai-compatible", options, models: { "mock-1": model } } };
      const config = { provider, model: "mock/mock-1", permission: { "*": "allow" } };
      await writeInto(join(folder, ".config", "opencode", "opencode.json"), JSON.stringify(config, undefined, 2));
      return { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" };
    },
    // Its install script, which does not run here, would put the program of this system into the package.
    turn: (folder, place) =>
      runClient(place, join(folder, "..", `opencode-${process.platform}-${process.arch}`, "bin", "opencode"), [
        "run",
        "go",
      ]),
  },
  {
    id: "claude-code",
    install: () => installPackage("@anthropic-ai/claude-code", "2.1.325", "claude-code"),
    prepare: async (_, modelUrl) => ({
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: "any",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1",
      // The model is to see the tools at once, not to search for them first.
      ENABLE_TOOL_SEARCH: "false",
    }),
    turn: (folder, place) =>
      runClient(place, join(folder, "cli-wrapper.cjs"), ["-p", "go", "--allowedTools", "mcp__clawport"]),
  },
  {
    id: "codex",
    install: () => installPackage("@openai/codex", "0.166.0", "codex"),
    async prepare({ folder }, modelUrl) {
      const provider = `name = "mock"\nbase_url = "${modelUrl}/v1"\nwire_api = "responses"\nenv_key = "MOCK_KEY"`;
      const config = `model = "mock-1"\nmodel_provider = "mock"\n\n[model_providers.mock]\n${provider}\n`;
      await writeInto(join(folder, ".codex", "config.toml"), config);
      return { MOCK_KEY: "any" };
    },
    turn: (folder, place) =>
      runClient(place, join(folder, "bin", "codex.js"), ["exec", "--skip-git-repo-check", "--json", "go"]),
  },
  {
    id: "gemini",
    install: () => installPackage("@google/gemini-cli", "0.61.0", "gemini-cli"),
    async prepare({ folder }, modelUrl) {
      const security = { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } };
      await writeInto(join(folder, ".gemini", "settings.json"), JSON.stringify({ security }, undefined, 2));
      return { GEMINI_API_KEY: "any", GOOGLE_GEMINI_BASE_URL: modelUrl };
    },
    turn: (folder, place) => runClient(place, join(folder, "bundle", "gemini.js"), ["-p", "go", "--yolo"]),
  },
];

async function writeInto(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
