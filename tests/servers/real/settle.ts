/** An answer or a failure as plain data, without what can't be the same twice: times, session ids and our own marks. */
export async function settle(work: Promise<unknown>, prefix: string): Promise<unknown> {
  const value = await outcome(work);
  return prefix === "" ? value : (JSON.parse(JSON.stringify(value).replaceAll(prefix, "")) as unknown);
}

async function outcome(work: Promise<unknown>): Promise<unknown> {
  try {
    return steady(await work);
  } catch (error) {
    const { code, data, message } = error as { code?: unknown; data?: unknown; message: string };
    return steady({ failed: message, code, ...(data === undefined ? {} : { data }) });
  }
}

function steady(value: unknown): unknown {
  if (typeof value === "string") return steadyText(value);
  if (Array.isArray(value)) return value.map(steady);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !key.startsWith("CLAWPORT_"))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, key === "blob" ? steadyText(decoded(part as string)) : steady(part)]),
  );
}

function steadyText(text: string): string {
  const inner = text.startsWith("{") ? parsed(text) : undefined;
  if (inner !== undefined) return JSON.stringify(steady(inner));
  return text
    .replaceAll(/\d{1,2}:\d\d:\d\d(?: [AP]M)?/g, "<time>")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<id>")
    .replaceAll(/session undefined/g, "session <id>");
}

/** Text in base64 may hold a time; anything else stays as it is. */
function decoded(blob: string): string {
  const text = Buffer.from(blob, "base64").toString("utf8");
  return Buffer.from(text, "utf8").toString("base64") === blob ? text : blob;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
