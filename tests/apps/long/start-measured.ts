import { readFileSync } from "node:fs";
import { makePlace } from "../../support/cli/run-clawport.ts";
import { createProxyClient, type ProxyClient } from "../../support/apps/proxy-client.ts";
import { startProxyProcess } from "../proxy-process.ts";
import { openApp } from "../../support/apps/test-app.ts";

/** A proxy in a process of its own, whose memory can be measured, with one good app that must be served throughout. */
export interface MeasuredProxy extends AsyncDisposable {
  readonly proxy: ProxyClient;
  /** Resident megabytes now. */
  memory(): number;
  /** Most resident megabytes since the start. */
  peak(): number;
  /** Calls the good app; throws if it is not served. */
  serveGood(): Promise<void>;
  /** How often it was served. */
  readonly served: number;
}

export async function startMeasured(...args: string[]): Promise<MeasuredProxy> {
  await using stack = new AsyncDisposableStack();
  const place = stack.use(await makePlace());
  const free = ["--requests-per-second", "1000000", "--sessions-per-second", "1000000"];
  const running = stack.use(await startProxyProcess(place, "--port", "0", "--memory", ...free, ...args));
  const proxy = createProxyClient(running.ready.address);
  const good = await proxy.create({ ttl_seconds: 86_400 });
  stack.use(await openApp(good.bridge_url));
  const owned = stack.move();
  let served = 0;
  return {
    proxy,
    memory: () => megabytes(running.child.pid, "VmRSS"),
    peak: () => megabytes(running.child.pid, "VmHWM"),
    async serveGood() {
      const text = `${++served}`;
      const answer = await proxy.call(good, "echo_text", { text });
      if (answer !== JSON.stringify({ echoed_text: text })) throw new Error(`the good app got ${answer}`);
    },
    get served() {
      return served;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function megabytes(pid: number | undefined, field: string): number {
  const text = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(text)?.[1]) / 1024);
}
