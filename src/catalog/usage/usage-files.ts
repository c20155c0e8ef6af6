import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { openStateFile } from "../../core/files/state-file.ts";
import type { Log } from "../../core/log.ts";
import {
  addRows,
  type DayRow,
  loadRow,
  parseRows,
  type StoredRow,
  storeRow,
  type UsageRow,
  type UsageRows,
} from "./usage-row.ts";

/** How many days are kept. */
export const keptDays = 92;

const dayMs = 86_400_000;
/** With what belongs to it: its lock, and a damaged one that was set aside. */
const fileName = /^(\d{4}-\d{2}-\d{2})\.json/;

/** `2026-11-16`, in UTC. */
export function dayText(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

/** Adds rows to the file of their day, which several processes may write. */
export async function addToFile(folder: string, day: number, rows: Iterable<UsageRow>, log: Log): Promise<void> {
  await fileOf(folder, day, log).update(({ rows: stored }) => {
    const all: UsageRows = new Map();
    addRows(all, stored.map(loadRow));
    addRows(all, rows);
    return { rows: Array.from(all.values(), storeRow) };
  });
}

/** The rows of these days, of all processes. */
export async function readDays(folder: string, from: number, until: number, log: Log): Promise<readonly DayRow[]> {
  const all: DayRow[] = [];
  for (let day = from; day <= until; day++) {
    const { rows } = await fileOf(folder, day, log).read();
    for (const row of rows) all.push({ ...loadRow(row), day: dayText(day) });
  }
  return all;
}

/** Removes the files of days that are no longer kept. */
export async function pruneDays(folder: string, today: number): Promise<void> {
  const oldest = dayText(today - keptDays + 1);
  for (const name of await readdir(folder).catch(() => [])) {
    const [, day] = fileName.exec(name) ?? [];
    if (day !== undefined && day < oldest) await rm(join(folder, name), { recursive: true, force: true });
  }
}

function fileOf(folder: string, day: number, log: Log) {
  return openStateFile<{ readonly rows: readonly StoredRow[] }>({
    path: join(folder, `${dayText(day)}.json`),
    parse: (value) => ({ rows: parseRows(value) }),
    empty: { rows: [] },
    log,
  });
}
