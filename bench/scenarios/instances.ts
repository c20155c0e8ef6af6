import { mkdtempSync, writeFileSync } from "node:fs";
import path from "node:path";
import { startNatsServer } from "../../tests/support/nats-server.ts";
import { type Child, firstLine, home, startNode } from "../child.ts";
import { openBridgeClient } from "../clients/bridge-client.ts";
import { type Load, runLoad } from "../load.ts";
import { residentMb } from "../process-cost.ts";
import { type Effort, rotated, type Scenario, say } from "../scenario.ts";
import { digits, judge, section, type Section } from "../section.ts";
import { median, percentile, sum } from "../statistics.ts";
import { cliFile, startTarget } from "../targets.ts";

/** Several instances of the app proxy over one NATS: what a call costs that crosses from one to another. */
export const instances: Scenario = {
  name: "instances",
  run: async (effort) => [await measureCrossing(effort), await measureSessions(effort)],
};

const tokens = { app: "bench-app-token", client: "bench-client-token" };

async function measureCrossing({ quick }: Effort): Promise<Section> {
  const apps = quick ? 5 : 100;
  const rounds = quick ? 1 : 5;
  const ms = quick ? 150 : 1500;
  await using stack = new AsyncDisposableStack();
  const nats = stack.use(await startNatsServer());
  const ports: number[] = [];
  const pids: number[] = [];
  for (let count = 0; count < 2; count++) {
    const child = stack.use(startInstance(nats.url));
    pids.push(child.pid);
    ports.push((JSON.parse(await firstLine(child)) as { port: number }).port);
  }
  const crowd = stack.use(startTarget("bridge-apps", { args: ["ours", String(ports[0]), String(apps), tokens.app] }));
  const { paths } = JSON.parse(await firstLine(crowd)) as { paths: readonly string[] };
  const ways = ["local", "crossing"].map((way, at) => ({
    way,
    client: stack.use(openBridgeClient({ port: ports[at]!, token: tokens.client, paths })),
  }));
  const cells = [1, 64].map((inFlight) => ({ inFlight, loads: [[], []] as Load[][] }));
  for (let round = -1; round < rounds; round++) {
    for (const { inFlight, loads } of cells) {
      for (const { way, client } of rotated(ways, Math.abs(round))) {
        const load = await runLoad(pids, () => client.call(), inFlight, round < 0 ? ms * 3 : ms);
        if (round >= 0) loads[way === "local" ? 0 : 1]!.push(load);
      }
    }
    say(`instances: round ${round + 1} of ${rounds}`);
  }
  const p50 = (load: Load): number => percentile(load.latencies, 50);
  const rows = cells.flatMap(({ inFlight, loads: [local = [], crossing = []] }) =>
    [local, crossing].map((own, at) => {
      const more = median(crossing.map((load, round) => p50(load) - p50(local[round]!)));
      const share = median(crossing.map((load, round) => load.callsPerSecond / local[round]!.callsPerSecond));
      const compared = inFlight === 1 ? `${digits(more)} ms more` : `calls ${digits(share)}`;
      const verdict = inFlight === 1 ? judge(more, { atMost: 1 }) : judge(share, { atLeast: 0.25 });
      return [
        String(inFlight),
        at === 0 ? "at the instance with the app" : "from another instance",
        digits(median(own.map((load) => load.callsPerSecond))),
        digits(median(own.map(p50))),
        digits(
          percentile(
            own.flatMap(({ latencies }) => latencies),
            99,
          ),
        ),
        ...(at === 0 ? ["", "", ""] : [compared, ...verdict]),
      ];
    }),
  );
  const columns = ["in flight", "call", "calls/s", "p50 ms", "p99 ms", "against local", "bar", "verdict"];
  const notes = [
    `${apps} apps, 100 B; ${rounds} rounds of ${ms} ms a cell; ratios are medians of those within a round.`,
  ];
  return section({ title: "Calls between instances, over NATS", notes, columns, rows });
}

async function measureSessions({ quick }: Effort): Promise<Section> {
  const [count, each] = quick ? [400, 200] : [100_000, 20_000];
  await using stack = new AsyncDisposableStack();
  const nats = stack.use(await startNatsServer());
  const children: { child: Child; port: number; before: number }[] = [];
  for (let made = 0; made < count; made += each) {
    const child = stack.use(startInstance(nats.url));
    const { port } = JSON.parse(await firstLine(child)) as { port: number };
    children.push({ child, port, before: residentMb(child.pid) });
  }
  const natsPid = nats.process.pid!;
  const natsBefore = residentMb(natsPid);
  for (const { port } of children) {
    let left = each;
    const worker = async (): Promise<void> => {
      while (left-- > 0) await createSession(port);
    };
    await Promise.all(Array.from({ length: 32 }, worker));
    say(`instances: ${each} sessions more`);
  }
  const own = sum(children.map(({ child, before }) => residentMb(child.pid) - before));
  const server = residentMb(natsPid) - natsBefore;
  const rows = [
    ["clawport proxy", digits(own), digits((own * 1024) / count)],
    ["nats-server", digits(server), digits((server * 1024) / count)],
  ];
  const columns = ["process", `MB for ${count} sessions`, "KB a session"];
  const notes = [`Resident memory; sessions with one tool and no bridge, over ${children.length} instances.`];
  return section({ title: "Memory by shared sessions", notes, columns, rows });
}

async function createSession(port: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/sessions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${tokens.app}` },
    body: JSON.stringify({
      device_id: "bench",
      ttl_seconds: 3600,
      tools: [{ name: "echo", description: "Returns data." }],
    }),
  });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`a session was refused with ${response.status}`);
}

function startInstance(nats: string): Child {
  const lines = [`OPENCLAW_PROXY_APP_TOKEN=${tokens.app}`, `OPENCLAW_PROXY_OPENCLAW_TOKEN=${tokens.client}`];
  writeFileSync(path.join(home, ".env"), `${lines.join("\n")}\n`);
  const state = mkdtempSync(path.join(home, "instance-"));
  const limits = ["--sessions-per-second", "100000", "--requests-per-second", "1000000"];
  return startNode([cliFile, "proxy", "--json", "--home", state, "--port", "0", "--nats", nats, ...limits]);
}
