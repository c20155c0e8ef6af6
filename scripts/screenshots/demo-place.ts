import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { formatAuditLine } from "../../src/catalog/audit/audit-line.ts";
import type { StoredRow } from "../../src/catalog/usage/usage-row.ts";
import { openApp } from "../../src/app/index.ts";
import { callHub, readStatus } from "../../tests/console/page/call-hub.ts";
import { type ConsolePlace, openConsolePlace, studioServer } from "../../tests/console/page/open-console.ts";
import { startAuthorizationServer } from "../../tests/support/oauth/authorization-server.ts";
import { startProtectedServer } from "../../tests/support/oauth/protected-server.ts";
import { agePins } from "../../tests/support/age-pins.ts";
import { until } from "../../tests/support/until.ts";

/** A hub after a week of use: four servers, one down, one to sign in to, calls, a question. */
export interface DemoPlace extends AsyncDisposable {
  readonly console: ConsolePlace;
  /** A client makes a call that needs approval. It is answered on the page. */
  ask(): void;
}

const config = `{
  // What my clients may use.
  servers: {
    files: { command: "files-server", args: ["~/notes"] },
    notes: { command: "notes-server" },
    paint: { command: "paint-server" },
    calendar: { url: "CALENDAR" },
    weather: { command: "weather-server", args: ["--city", "Lisbon"] },
  },
  policy: {
    rules: [
      { tool: "files__write_file", verdict: "ask", reason: "it overwrites my notes" },
      { tool: "files__move_file", client: "Cursor", verdict: "deny" },
      { source: "notes", annotation: "readOnly", verdict: "allow" },
    ],
  },
  machine: { enabled: true },
  apps: { serve: true, port: 0, show: true },
}
`;

export async function openDemoPlace(): Promise<DemoPlace> {
  const authority = await startAuthorizationServer({});
  const server = await startProtectedServer(authority);
  let flag = "";
  const place = await openConsolePlace(
    {},
    {
      port: (await isFree(8765)) ? 8765 : 0,
      async prepare({ folder, home, env }) {
        flag = join(folder, "changed");
        const bin = join(folder, "bin");
        await mkdir(bin);
        for (const kind of ["files", "notes", "paint"]) {
          const { command, args } = studioServer(kind, flag) as { command: string; args: readonly string[] };
          const line = [command, ...args].map((word) => `"${word}"`).join(" ");
          await writeFile(join(bin, `${kind}-server`), `#!/bin/sh\nexec ${line}\n`, { mode: 0o755 });
        }
        env["PATH"] = `${bin}:${env["PATH"]}`;
        await mkdir(join(folder, ".cursor"));
        await writeFile(join(folder, ".claude.json"), '{ "mcpServers": {} }\n');
        await writeFile(join(home, "clawport.json5"), config.replace("CALENDAR", server.url));
        await mkdir(join(home, "audit"), { mode: 0o700 });
        await writeFile(join(home, "audit", "calls.jsonl"), pastHour(), { mode: 0o600 });
        await mkdir(join(home, "usage"), { mode: 0o700 });
        for (const [day, rows] of pastMonth())
          await writeFile(join(home, "usage", `${day}.json`), JSON.stringify({ rows }), { mode: 0o600 });
      },
    },
  );
  // The servers are pinned as they are; afterwards one of them changes what a tool says about itself.
  const token = await place.token();
  await callHub(place.origin, token, "notes__search", { query: "lemon" });
  await writeFile(flag, "");
  await place.stop();
  await agePins(place.place.home);
  await place.restart();
  await until(async () => (await callHub(place.origin, token, "paint__draw", {})).result?.isError !== true);
  const calls = [
    ["Claude Code", "files__list_directory", { path: "." }],
    ["Claude Code", "files__read_text_file", { path: "shopping.md" }],
    ["Claude Code", "notes__add", { text: "Two lemons" }],
    ["Cursor", "files__read_text_file", { path: "shopping.md" }],
    ["Cursor", "files__move_file", { source: "a", destination: "b" }],
    ["VS Code", "paint__draw", { width: 64 }],
    ["Claude Code", "files__search_files", { pattern: "*.md" }],
  ] as const;
  for (const [client, tool, args] of calls) await callHub(place.origin, token, tool, args, client);
  const { appsAddress, appsTokenPath } = await readStatus(place.place.home);
  const app = await openApp({
    proxyUrl: appsAddress,
    appToken: (await readFile(appsTokenPath, "utf8")).trim(),
    deviceName: "Sketchbook",
    appVersion: "3.2",
    tools: appTools,
  });
  return {
    console: place,
    ask() {
      const content = "# Shopping\n\n- bread\n- olives\n- two lemons";
      callHub(place.origin, token, "files__write_file", { path: "shopping.md", content }).catch(() => {});
    },
    async [Symbol.asyncDispose]() {
      await app.close().catch(() => {});
      await place[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await authority[Symbol.asyncDispose]();
    },
  };
}

const appTools = ["open_page", "draw_line", "undo", "export_svg"].map((name) => ({ name, run: () => "done" }));

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  probe.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
  const free = await promise;
  probe.close();
  return free;
}

/** A month of calls, fewer at weekends, in the rows of the ledger. */
function* pastMonth(): Generator<readonly [day: string, rows: readonly StoredRow[]]> {
  const random = createRandom();
  const tools = [
    ["files", "files__read_text_file", 60, 2400],
    ["files", "files__list_directory", 40, 900],
    ["files", "files__search_files", 25, 1500],
    ["notes", "notes__search", 30, 3200],
    ["notes", "notes__add", 12, 80],
  ] as const;
  for (let ago = 29; ago >= 1; ago--) {
    const date = new Date(Date.now() - ago * 86_400_000);
    const isWeekend = date.getUTCDay() % 6 === 0;
    const rows = tools.flatMap(([source, tool, often, out]) =>
      ["mcp-http/main", "mcp-http/phone", "console"].map((caller, at): StoredRow => {
        const calls = Math.round(((often * (0.4 + random())) / (1 + 2 * at)) * (isWeekend ? 0.2 : 1));
        const errors = Math.round(calls * 0.02 * random());
        return [source, tool, caller, calls, errors, calls * 160, calls * out * 4, 0];
      }),
    );
    yield [date.toISOString().slice(0, 10), rows.filter(([, , , calls]) => calls > 0)];
  }
}

/** The same numbers in every run. */
function createRandom(): () => number {
  let seed = 7;
  return () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
}

/** An hour of calls that rise and fall, with a few errors. */
function pastHour(): string {
  const lines: string[] = [];
  const now = Date.now();
  const tools = ["files__read_text_file", "notes__search", "files__list_directory", "paint__draw", "notes__add"];
  const clients = ["Claude Code", "Cursor", "VS Code"];
  const random = createRandom();
  for (let minute = 59; minute >= 1; minute--) {
    const busy = Math.max(0, Math.round(9 + 8 * Math.sin(minute / 6) + 6 * random() - 3));
    for (let call = 0; call < busy; call++) {
      const tool = tools[Math.floor(random() * tools.length)] ?? "";
      const isWrong = random() < 0.02;
      lines.push(
        formatAuditLine({
          at: now - minute * 60_000 + (call / busy) * 59_000,
          caller: { door: "mcp-http", token: "main", client: clients[Math.floor(random() * 3)] ?? "" },
          source: tool.split("__")[0] ?? "",
          tool,
          verdict: "allow",
          why: "preset default",
          ms: 4 + 30 * random() ** 3 + (tool === "paint__draw" ? 60 * random() : 0),
          outcome: isWrong ? "tool-error" : "ok",
          sizeIn: Math.round(20 + 200 * random()),
          sizeOut: Math.round(200 + 4000 * random()),
        }),
      );
    }
  }
  return lines.join("");
}
