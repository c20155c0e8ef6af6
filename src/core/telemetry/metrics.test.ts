import { strict as assert } from "node:assert";
import { expect, test } from "vitest";
import { createMetrics } from "./metrics.ts";

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Strict about the 0.0.4 text: HELP and TYPE first and once, samples of one family together, escapes, a final newline. */
function parseExposition(text: string): { samples: Sample[]; types: Map<string, string>; help: Map<string, string> } {
  const samples: Sample[] = [];
  const types = new Map<string, string>();
  const help = new Map<string, string>();
  let family = "";
  assert(text.endsWith("\n"));
  for (const line of text.slice(0, -1).split("\n")) {
    const helpLine = /^# HELP ([A-Za-z_:][\w:]*) (.*)$/.exec(line);
    const typeLine = /^# TYPE ([A-Za-z_:][\w:]*) (counter|gauge|histogram)$/.exec(line);
    if (helpLine !== null) {
      assert(!help.has(helpLine[1]!));
      family = helpLine[1]!;
      help.set(family, unescape(helpLine[2]!, false));
    } else if (typeLine !== null) {
      assert(typeLine[1] === family && !types.has(family));
      types.set(family, typeLine[2]!);
    } else {
      const sample = parseSample(line);
      const suffix = sample.name.slice(family.length);
      const suffixes = types.get(family) === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
      assert(sample.name.startsWith(family) && suffixes.includes(suffix), line);
      samples.push(sample);
    }
  }
  return { samples, types, help };
}

function parseSample(line: string): Sample {
  const match = /^([A-Za-z_:][\w:]*)(?:\{((?:[A-Za-z_]\w*="(?:[^"\\]|\\[\\"n])*",?)+)\})? (\S+)$/.exec(line);
  if (match === null) throw new Error(`not a sample: ${line}`);
  const pairs = Array.from(match[2]?.matchAll(/([A-Za-z_]\w*)="((?:[^"\\]|\\[\\"n])*)"(?:,|$)/g) ?? []);
  const labels = Object.fromEntries(pairs.map(([, key, value]) => [key!, unescape(value!, true)]));
  return { name: match[1]!, labels, value: match[3] === "+Inf" ? Infinity : Number(match[3]) };
}

function unescape(text: string, quoted: boolean): string {
  return text.replaceAll(quoted ? /\\([\\"n])/g : /\\([\\n])/g, (_, char: string) => (char === "n" ? "\n" : char));
}

test("counters and gauges come out with help, type, labels and value", () => {
  const metrics = createMetrics();
  const calls = metrics.counter({ name: "calls_total", help: "Calls.", labels: ["door"] });
  calls.inc({ door: "mcp-http" });
  calls.bind({ door: "mcp-http" }).inc(2);
  metrics.gauge({ name: "depth", help: "Depth." }).set({}, -1.5);

  expect(metrics.render()).toBe(
    [
      "# HELP calls_total Calls.",
      "# TYPE calls_total counter",
      'calls_total{door="mcp-http"} 3',
      "# HELP depth Depth.",
      "# TYPE depth gauge",
      "depth -1.5",
      "",
    ].join("\n"),
  );
});

test("quotes, backslashes and line breaks in help and label values survive a strict parser", () => {
  const nasty = 'a "quoted" \\ back\\nslash\nline {x="1"} ,ü🦀';
  const metrics = createMetrics();
  metrics.counter({ name: "odd_total", help: nasty, labels: ["first", "second"] }).inc({ first: nasty, second: "" });

  const { samples, help } = parseExposition(metrics.render());

  expect(help.get("odd_total")).toBe(nasty);
  expect(samples).toEqual([{ name: "odd_total", labels: { first: nasty, second: "" }, value: 1 }]);
});

test("histogram buckets are cumulative, hold their own bound, and end with the count at +Inf", () => {
  const metrics = createMetrics();
  const spec = { name: "took_seconds", help: "Time.", labels: ["door"], bounds: [0.1, 1, 10] } as const;
  const took = metrics.histogram(spec).bind({ door: "cli" });
  for (const value of [0.05, 0.1, 0.5, 5, 50, 500, NaN]) took.observe(value);

  const { samples, types } = parseExposition(metrics.render());
  const buckets = samples.filter(({ name }) => name === "took_seconds_bucket");

  expect(types.get("took_seconds")).toBe("histogram");
  expect(buckets.map(({ labels, value }) => [labels["le"], value])).toEqual([
    ["0.1", 2],
    ["1", 3],
    ["10", 4],
    ["+Inf", 6],
  ]);
  expect(samples.find(({ name }) => name === "took_seconds_count")?.value).toBe(6);
  expect(samples.find(({ name }) => name === "took_seconds_sum")?.value).toBeCloseTo(555.65, 9);
});

test("past the limit new label sets are counted together as other, and known ones still by themselves", () => {
  const metrics = createMetrics({ seriesLimit: 3 });
  const calls = metrics.counter({ name: "calls_total", help: "Calls.", labels: ["door", "source"] });
  for (let n = 0; n < 10; n++) calls.inc({ door: "mcp-http", source: `s${n}` });
  calls.inc({ door: "mcp-http", source: "s1" });

  const { samples } = parseExposition(metrics.render());

  expect(samples.map(({ labels, value }) => [labels["source"], value])).toEqual([
    ["s0", 1],
    ["s1", 2],
    ["s2", 1],
    ["other", 7],
  ]);
});

test("a label value can't grow without end, nor split a key in two", () => {
  const metrics = createMetrics();
  const calls = metrics.counter({ name: "calls_total", help: "Calls.", labels: ["a", "b"] });
  calls.inc({ a: "x".repeat(5000), b: "" });
  calls.inc({ a: "1\0", b: "2" });
  calls.inc({ a: "1", b: "\u00002" });

  const { samples } = parseExposition(metrics.render());

  expect(samples.map(({ labels, value }) => [labels["a"]?.length, value])).toEqual([
    [128, 1],
    [1, 2],
  ]);
});

test("a watched metric is read on every scrape; readers of one name are added up and can be removed", () => {
  const metrics = createMetrics();
  let open = 1;
  const spec = { name: "connections", help: "Open.", labels: ["door"] } as const;
  const leave = metrics.watch(spec, () => [[{ door: "a" }, open]]);
  metrics.watch(spec, () => [
    [{ door: "a" }, 10],
    [{ door: "b" }, 5],
  ]);
  expect(metrics.render()).toContain('connections{door="a"} 11\nconnections{door="b"} 5\n');

  open = 2;
  expect(metrics.render()).toContain('connections{door="a"} 12\n');

  leave();
  expect(metrics.render()).toContain('connections{door="a"} 10\n');
});

test("the same name gives the same instrument, and another meaning of it is refused", () => {
  const metrics = createMetrics();
  metrics.counter({ name: "calls_total", help: "Calls." }).inc({});
  metrics.counter({ name: "calls_total", help: "Calls." }).inc({});

  expect(metrics.render()).toContain("\ncalls_total 2\n");
  expect(() => metrics.gauge({ name: "calls_total", help: "Calls." })).toThrow("already exists as «counter»");
  expect(() => metrics.counter({ name: "calls_total", help: "Calls.", labels: ["door"] })).toThrow("«counter door»");
});

test.each(["1st", "with-dash", ""])("«%s» is refused as a name", (name) => {
  expect(() => createMetrics().counter({ name, help: "" })).toThrow("can't be the name");
});

test.each(["le", "__own", "with-dash"])("«%s» is refused as a label", (label) => {
  expect(() => createMetrics().counter({ name: "calls_total", help: "", labels: [label] })).toThrow("can't be a label");
});

test("a counter never falls and is not spoilt by a NaN", () => {
  const metrics = createMetrics();
  const calls = metrics.counter({ name: "calls_total", help: "Calls." }).bind({});
  calls.inc(3);
  calls.inc(-1);
  calls.inc(NaN);
  expect(metrics.render()).toContain("\ncalls_total 3\n");
});
