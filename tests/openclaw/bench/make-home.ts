import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface HomeOptions {
  readonly folder: string;
  readonly port: number;
  readonly token: string;
  readonly modelUrl: string;
  /** Put over the lean configuration, section by section. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

/** A home with a lean configuration, and the environment that keeps OpenClaw inside it. */
export async function makeHome(options: HomeOptions): Promise<Record<string, string>> {
  const { folder, port, token, modelUrl } = options;
  for (const name of ["state", "workspace", "tmp"]) await mkdir(join(folder, name), { recursive: true });
  const configPath = join(folder, "openclaw.json");
  await writeFile(configPath, JSON.stringify({ ...leanConfig(options), ...options.config }, undefined, 2));
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    TMPDIR: join(folder, "tmp"),
    OPENCLAW_HOME: folder,
    OPENCLAW_STATE_DIR: join(folder, "state"),
    OPENCLAW_CONFIG_PATH: configPath,
    OPENCLAW_GATEWAY_PORT: String(port),
    OPENCLAW_GATEWAY_TOKEN: token,
    OPENCLAW_DISABLE_BONJOUR: "1",
    OPENCLAW_EXEC_SHELL_SNAPSHOT: "0",
    OPENCLAW_NO_RESPAWN: "1",
    OPENCLAW_SKIP_CHANNELS: "1",
    NO_COLOR: "1",
    NO_PROXY: "127.0.0.1,localhost",
    MOCK_MODEL_URL: modelUrl,
  };
}

/** Without channels, bundled plugins and skills, heartbeat and update check: half the start-up, and no turns of its own. */
function leanConfig({ folder, port, token, modelUrl }: HomeOptions): Record<string, unknown> {
  const model = {
    id: "mock-1",
    name: "Mock 1",
    reasoning: false,
    input: ["text", "image"],
    contextWindow: 128_000,
    maxTokens: 4096,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
  return {
    gateway: {
      mode: "local",
      port,
      bind: "loopback",
      auth: { mode: "token", token },
      controlUi: { enabled: false },
    },
    models: {
      mode: "merge",
      providers: { mock: { baseUrl: modelUrl, apiKey: "mock-key", api: "openai-completions", models: [model] } },
    },
    agents: {
      defaults: {
        model: { primary: "mock/mock-1" },
        workspace: join(folder, "workspace"),
        skipBootstrap: true,
        heartbeat: { every: "0m" },
      },
    },
    plugins: { allow: [], slots: { memory: "none" } },
    skills: { allowBundled: [] },
    tools: { toolSearch: false },
    logging: { file: join(folder, "gateway.log") },
    update: { checkOnStart: false },
  };
}
