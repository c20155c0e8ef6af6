import { existsSync } from "node:fs";
import path from "node:path";
import { startFakeGateway } from "../../tests/support/fake-gateway.ts";
import { openBench } from "../../tests/openclaw/bench/open-bench.ts";
import { openClawVersion } from "../../tests/openclaw/bench/pinned.ts";
import { type Child, startNode, useOnce } from "../child.ts";
import { openStdioClient } from "../clients/stdio-client.ts";
import { echoParams } from "../payload.ts";
import { peakResidentMb, residentMb } from "../process-cost.ts";
import { type Effort, rotated, say, type Scenario } from "../scenario.ts";
import { digits, judge, type Section, section } from "../section.ts";
import { median, minimum } from "../statistics.ts";
import { cliFile, startTarget } from "../targets.ts";

const megabyte = 1024 * 1024;
const attachmentMb = 15;
const atOnce = 4;
/** A busy machine may not get through all of them; what it got through is a measurement all the same. */
const maxMs = 360_000;

/** `clawport mcp-server` with an OpenClaw behind it. */
export const orders: Scenario = {
  name: "orders",
  async run(effort: Effort) {
    return [await timeFirstOrder(effort), await weighOrders(effort)];
  },
};

async function timeFirstOrder({ quick }: Effort): Promise<Section> {
  await using gateway = await startFakeGateway();
  const targets = [
    { title: "hand-written (limit)", start: () => startTarget("limit-stdio"), params: echoParams(100) },
    { title: "clawport mcp-server", start: () => startNode(serverArgs(gateway.url)), params: orderParams("hello") },
  ];
  const times = new Map(targets.map(({ title }) => [title, [] as Moments[]]));
  await useOnce(targets[1]!.start, (child) => watchFirstCall(child, targets[1]!.params));
  for (let round = -1; round < (quick ? 3 : 21); round++) {
    for (const { title, start, params } of rotated(targets, Math.abs(round))) {
      const began = performance.now();
      await using child = start();
      const moments = await watchFirstCall(child, params, began);
      if (round >= 0) times.get(title)!.push(moments);
    }
  }
  const [limit, ours] = targets.map(({ title }) => times.get(title)!);
  const row = (
    until: string,
    of: (moments: Moments) => number,
    base: (moments: Moments) => number,
    atMost?: number,
  ) => {
    const [own, least] = [ours!.map(of), limit!.map(base)];
    const ratio = median(own) / median(least);
    const bar = atMost === undefined ? undefined : { atMost };
    return [until, ...[median(own), minimum(own), median(least), ratio].map(digits), ...judge(ratio, bar)];
  };
  const rows = [
    row(
      "tools/list",
      ({ list }) => list,
      ({ list }) => list,
      1.5,
    ),
    row(
      "first order accepted",
      ({ accepted }) => accepted,
      ({ answered }) => answered,
      3,
    ),
    row(
      "first order answered",
      ({ answered }) => answered,
      ({ answered }) => answered,
    ),
  ];
  const columns = ["until", "median ms", "minimum ms", "limit, median ms", "× limit", "bar", "verdict"];
  const notes = [
    "From spawn, over stdio. An order is accepted when all of it was checked: its first progress notice.",
    "Meanwhile the line to the gateway (one of our own that answers at once) comes up; the limit's first call is an echo.",
  ];
  return section({ title: "The first order", notes, columns, rows });
}

interface Moments {
  readonly list: number;
  readonly accepted: number;
  readonly answered: number;
}

async function watchFirstCall(child: Child, params: string, began = performance.now()): Promise<Moments> {
  let accepted = NaN;
  child.stdout.on("data", (chunk: Buffer) => {
    if (Number.isNaN(accepted) && chunk.includes("notifications/progress")) accepted = performance.now() - began;
  });
  const client = await openStdioClient(child);
  await client.request("tools/list", "{}");
  const list = performance.now() - began;
  await client.request("tools/call", params);
  return { list, accepted, answered: performance.now() - began };
}

async function weighOrders({ quick }: Effort): Promise<Section> {
  const wanted = quick ? 12 : 100;
  await using gateway = await openGatewayTarget();
  await using child = startNode(serverArgs(gateway.url, gateway.token));
  const client = await openStdioClient(child);
  await client.request("tools/call", orderParams("hello"));
  const idle = residentMb(child.pid);
  const data = Buffer.alloc(attachmentMb * megabyte, "%PDF-1.4\n").toString("base64");
  const files = `[{"data":"${data}","mimeType":"application/pdf","filename":"a.pdf"}]`;
  let [begun, done] = [0, 0];
  const end = performance.now() + maxMs;
  const worker = async (): Promise<void> => {
    while (begun < wanted && performance.now() < end) {
      await client.request("tools/call", orderParams(`order ${++begun}`, files));
      done++;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const peak = peakResidentMb(child.pid);
  say(`orders: ${done} of ${attachmentMb} MB, ${digits(peak)} MB at most`);
  const columns = ["gateway", "orders", "MB idle", "MB after", "MB at most", "bar", "verdict"];
  const row = [gateway.title, `${done} of ${wanted}`, ...[idle, residentMb(child.pid), peak].map(digits)];
  const notes = [`Over stdio, one attachment of ${attachmentMb} MB each, ${atOnce} orders under way at a time.`];
  const rows = [[...row, ...judge(peak, { atMost: 600 })]];
  return section({ title: `Orders with ${attachmentMb} MB each`, notes, columns, rows });
}

interface GatewayTarget extends AsyncDisposable {
  readonly title: string;
  readonly url: string;
  readonly token: string;
}

/** The real OpenClaw where it is installed, else one of our own that takes orders and answers them at once. */
async function openGatewayTarget(): Promise<GatewayTarget> {
  const cache = path.join(import.meta.dirname, "..", "..", ".cache", "openclaw", openClawVersion);
  if (!existsSync(cache)) return { title: "stand-in", token: "none", ...(await spread(startFakeGateway())) };
  const bench = await openBench();
  return { title: `OpenClaw ${openClawVersion}`, token: bench.token, ...(await spread(Promise.resolve(bench))) };
}

async function spread(opening: Promise<AsyncDisposable & { readonly url: string }>) {
  const opened = await opening;
  return { url: opened.url, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}

function serverArgs(url: string, token = "none"): readonly string[] {
  return [cliFile, "mcp-server", "--gateway", url, "--token", token];
}

function orderParams(message: string, files = "[]"): string {
  return `{"name":"order_openclaw","arguments":{"message":"${message}","files":${files}},"_meta":{"progressToken":1}}`;
}
