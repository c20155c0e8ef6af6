import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installPackage } from "../../../conformance/install-package.ts";
import { makeHome } from "./make-home.ts";
import { type MockModel, startMockModel } from "../../support/mock-model.ts";
import { openClawVersion } from "./pinned.ts";
import { freePort } from "../../support/free-port.ts";
import { type RunningGateway, startGateway } from "./start-gateway.ts";

export interface BenchOptions {
  /** Put over the lean configuration of OpenClaw, section by section. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  /** Called before the gateway starts, with its program and the environment of its home. */
  readonly prepare?: ((program: string, env: Record<string, string>) => Promise<void>) | undefined;
}

/** A real OpenClaw in a throw-away home, with a model that does as it is told. */
export interface OpenClawBench extends AsyncDisposable {
  readonly folder: string;
  /** OpenClaw's own command, to be run with Node. */
  readonly program: string;
  readonly url: string;
  readonly token: string;
  readonly model: MockModel;
  /** The environment in which OpenClaw's own programs find this gateway. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends the gateway at once, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again after `kill`, in the same home and at the same address. */
  start(): Promise<void>;
}

export async function openBench({ config, prepare }: BenchOptions = {}): Promise<OpenClawBench> {
  const openclaw = await installPackage("openclaw", openClawVersion, "openclaw");
  const folder = await mkdtemp(join(tmpdir(), "openclaw-bench-"));
  const model = await startMockModel();
  const port = await freePort();
  const token = "bench-token";
  const env = await makeHome({ folder, port, token, modelUrl: model.baseUrl, config });
  let gateway: RunningGateway | undefined;

  const bench: OpenClawBench = {
    folder,
    program: join(openclaw, "openclaw.mjs"),
    url: `ws://127.0.0.1:${port}`,
    token,
    model,
    env,
    async start() {
      gateway = await startGateway({ program: join(openclaw, "openclaw.mjs"), env, port });
    },
    async kill() {
      await gateway?.stop("SIGKILL");
      gateway = undefined;
    },
    async [Symbol.asyncDispose]() {
      await gateway?.stop("SIGTERM");
      await model[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  try {
    await prepare?.(join(openclaw, "openclaw.mjs"), env);
    await bench.start();
    return bench;
  } catch (error) {
    await bench[Symbol.asyncDispose]();
    throw error;
  }
}
