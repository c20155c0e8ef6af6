import { createRandom } from "../../support/random.ts";
import type { ProxyClient } from "../../support/apps/proxy-client.ts";
import { openApp, type TestApp } from "../../support/apps/test-app.ts";

export interface CutsReport {
  readonly calls: number;
  readonly bridges: number;
  /** How often each kind of outcome occurred, with numbers replaced. */
  readonly kinds: Readonly<Record<string, number>>;
  /** Outcomes that contradict what the app counted. */
  readonly wrong: readonly string[];
  /** How often any one call was run, at most. */
  readonly maxRuns: number;
}

/** Calls an app whose connection is cut or taken over every few milliseconds. The app counts what it runs. */
export async function runCuts(proxy: ProxyClient, calls: number, seed: number): Promise<CutsReport> {
  const session = await proxy.create({ tools: [{ name: "fast" }], ttl_seconds: 86_400 });
  const random = createRandom(seed);
  const runs = new Map<number, number>();
  let app: TestApp | undefined;
  let over = false;
  let bridges = 0;

  const chaos = (async () => {
    while (!over) {
      bridges++;
      app = await openApp(session.bridge_url, {
        tools: {
          fast({ n }, { request_id }, own) {
            runs.set(n, (runs.get(n) ?? 0) + 1);
            const answer = () => own.ws.readyState === 1 && own.result(request_id, { ok: true, content: `ran ${n}` });
            setTimeout(answer, random.int(4));
          },
        },
      });
      await new Promise((resolve) => setTimeout(resolve, 5 + random.int(40)));
      // The connection breaks, or the app closes it, or a second app of the same session takes over.
      const how = random.int(4);
      if (how === 1) app.ws.close(1000);
      else if (how > 1) app.ws.terminate();
    }
  })();

  const outcomes: string[] = [];
  let next = 0;
  const worker = async () => {
    while (next < calls) {
      const n = next++;
      outcomes[n] = await proxy.call(session, "fast", { n });
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  over = true;
  await chaos;
  app?.ws.terminate();

  const kinds: Record<string, number> = {};
  for (const outcome of outcomes) {
    const kind = outcome.replaceAll(/\d+/g, "#");
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  const wrong = outcomes.flatMap((outcome, n) => (isTrue(outcome, n, runs.get(n) ?? 0) ? [] : [`${n}: ${outcome}`]));
  return { calls: outcomes.length, bridges, kinds, wrong, maxRuns: Math.max(...runs.values()) };
}

function isTrue(outcome: string, n: number, count: number): boolean {
  if (outcome === `ran ${n}`) return count === 1;
  if (outcome === "!Bridge is not connected" || outcome.includes("has not seen it")) return count === 0;
  // Not "did not answer in time": the app always does, unless it is disconnected.
  return outcome.startsWith("!The bridge was lost after the call was sent.") && count <= 1;
}
