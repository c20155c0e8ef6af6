import type { HistogramFamily, HistogramReading, MetricFamily } from "./instruments.ts";

/** Prometheus text exposition format 0.0.4. */
export function renderPrometheus(families: readonly MetricFamily[]): string {
  const lines: string[] = [];
  for (const family of families) {
    if (family.series.length === 0) continue;
    lines.push(`# HELP ${family.name} ${escapeHelp(family.help)}`, `# TYPE ${family.name} ${family.type}`);
    if (family.type === "histogram") {
      for (const reading of family.series) lines.push(...histogramLines(family, reading));
    } else {
      for (const { values, value } of family.series) {
        lines.push(`${family.name}${labelPart(family.labels, values)} ${numberText(value)}`);
      }
    }
  }
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function histogramLines(family: HistogramFamily, { values, counts, sum }: HistogramReading): string[] {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    const bound = numberText(family.bounds[index] ?? Infinity);
    return `${family.name}_bucket${labelPart([...family.labels, "le"], [...values, bound])} ${total}`;
  });
  const labels = labelPart(family.labels, values);
  return [...buckets, `${family.name}_sum${labels} ${numberText(sum)}`, `${family.name}_count${labels} ${total}`];
}

function labelPart(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return "";
  return `{${names.map((name, index) => `${name}="${escapeValue(values[index] ?? "")}"`).join(",")}}`;
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function escapeValue(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}

function numberText(value: number): string {
  if (value === Infinity) return "+Inf";
  if (value === -Infinity) return "-Inf";
  return String(value);
}
