import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { memoryWorld } from "../../tests/support/cli/memory-world.ts";
import { Fault } from "../core/fault.ts";
import type { AnyCommand } from "./command.ts";
import { defineCommand } from "./command.ts";
import { commandTable } from "./command-table.ts";
import { firstCommands, helpTopics } from "./output/help-topics.ts";
import { runCli } from "./run-cli.ts";

const seen: unknown[] = [];

const greet = defineCommand({
  name: "greet",
  summary: "say hello",
  args: [{ name: "whom", description: "whom to greet", optional: true }],
  options: {
    times: { type: "number", value: "<n>", range: [1, 99], description: "how often" },
    tone: { type: "string", values: ["warm", "cold"], description: "how" },
    to: { type: "string", multiple: true, description: "one more" },
    loud: { type: "boolean", short: "l", description: "shout" },
  },
  async run({ args, options, globals }) {
    seen.push({ args, options, globals });
  },
});

const boxes: AnyCommand = {
  name: "box",
  summary: "boxes",
  fallback: "list",
  commands: [
    defineCommand({
      name: "list",
      summary: "list boxes",
      run: async (context) => context.answer({ boxes: 2 }, "two boxes"),
    }),
    defineCommand({
      name: "open",
      summary: "open a box",
      args: [{ name: "box", description: "which box" }],
      run: async () => 7,
    }),
  ],
};

const broken: AnyCommand = defineCommand({
  name: "broken",
  summary: "fails",
  args: [{ name: "how", description: "which way" }],
  run: async ({ args }) => {
    if (args[0] === "fault") throw new Fault("denied", "not you; run `clawport greet`", { detail: { who: "you" } });
    throw new TypeError("x is not a function");
  },
});

const gather = defineCommand({
  name: "gather",
  summary: "takes many words",
  args: [{ name: "word", description: "one or more", rest: true }],
  run: async ({ args, answer }) => answer(args, ""),
});

const start = defineCommand({
  name: "start",
  summary: "starts a program",
  args: [{ name: "program", description: "what to start", rest: true, isCommand: true }],
  run: async ({ args, answer }) => answer(args, ""),
});

const table = [greet, boxes, broken, gather, start].map((command) => ({ ...command, load: async () => ({ command }) }));

async function run(...argv: string[]) {
  const world = memoryWorld();
  const exit = await runCli(argv, world, table);
  return { exit, out: world.out(), err: world.err() };
}

async function runReal(...argv: string[]) {
  const world = memoryWorld();
  const exit = await runCli(argv, world);
  return { exit, out: world.out(), err: world.err() };
}

test("options are parsed before and after the command, each as its own type", async () => {
  seen.length = 0;
  const { exit } = await run(
    "--home",
    "/h",
    "greet",
    "Ann",
    "--times",
    "3",
    "--to=a",
    "--to",
    "b",
    "-lq",
    "--tone",
    "warm",
  );
  expect(exit).toBe(0);
  expect(seen).toEqual([
    {
      args: ["Ann"],
      options: { times: 3, to: ["a", "b"], loud: true, tone: "warm" },
      globals: { home: "/h", quiet: true },
    },
  ]);
});

test.each([
  [["gret"], 'unknown command "gret"; did you mean "greet"?'],
  [["hlep"], 'unknown command "hlep"; did you mean "help"?'],
  [["xylophone"], 'unknown command "xylophone"; see `clawport --help`'],
  [["box", "opne"], 'unknown command "opne"; did you mean "open"?'],
  [["box", "--store", "file"], 'unknown option "--store"; see `clawport box --help`'],
  [["--confg", "a.json5", "greet"], 'unknown option "--confg"; did you mean "--config"?'],
  [["greet", "--tims", "3"], 'unknown option "--tims"; did you mean "--times"?'],
  [["gather", "npx", "-y"], 'unknown option "-y"; see `clawport gather --help`'],
  [
    ["start", "npx", "-y", "a-server"],
    'unknown option "-y"; if it belongs to the command, write `clawport start -- npx -y …`',
  ],
  [["start", "-y"], 'unknown option "-y"; see `clawport start --help`'],
  [["start", "https://a.example", "-y"], 'unknown option "-y"; see `clawport start --help`'],
  [["greet", "--times", "many"], '--times must be a whole number from 1 to 99, not "many"'],
  [["greet", "--times", "0"], '--times must be a whole number from 1 to 99, not "0"'],
  [["greet", "--times", "100"], '--times must be a whole number from 1 to 99, not "100"'],
  [["greet", "--times"], "--times needs a value: --times <n>"],
  [["greet", "--tone", "hot"], '--tone must be one of warm, cold, not "hot"'],
  [["greet", "--loud=yes"], "--loud takes no value; see `clawport greet --help`"],
  [["greet", "Ann", "Bob"], 'unexpected argument "Bob"; see `clawport greet --help`'],
  [["box", "open"], "missing argument <box>: which box; see `clawport box open --help`"],
])("%j is refused with a hint", async (argv, message) => {
  expect(await run(...argv)).toEqual({ exit: 2, out: "", err: `clawport: ${message}\n` });
});

test("the last argument may take all remaining words, and options among them after --", async () => {
  expect((await run("gather", "npx", "--json", "--", "-y", "a=1")).out).toBe('["npx","-y","a=1"]\n');
  expect((await run("gather")).exit).toBe(2);
  expect((await run("gather", "--help")).out).toContain("clawport gather <word> …");
});

test("a group runs its fallback, and returns the command's exit code", async () => {
  expect(await run("box")).toEqual({ exit: 0, out: "two boxes\n", err: "" });
  expect(await run("box", "--json")).toEqual({ exit: 0, out: '{"boxes":2}\n', err: "" });
  expect((await run("box", "open", "3")).exit).toBe(7);
});

test("a fault prints its message and exits with its code; with --json it is printed as JSON", async () => {
  expect(await run("broken", "fault")).toEqual({ exit: 77, out: "", err: "clawport: not you; run `clawport greet`\n" });
  const { exit, out, err } = await run("broken", "fault", "--json");
  expect([exit, err]).toEqual([77, ""]);
  expect(JSON.parse(out)).toEqual({
    error: { code: "denied", message: "not you; run `clawport greet`", detail: { who: "you" } },
  });
});

test("an unexpected error prints one line, and the stack only with -v", async () => {
  const short = await run("broken", "otherwise");
  expect(short.exit).toBe(70);
  expect(short.err).toBe("clawport: unexpected error: x is not a function\nRun it again with -v to see the stack.\n");
  expect((await run("broken", "otherwise", "-v")).err).toContain("run-cli.test.ts");
});

test("the overview has eight commands and the topics, in one column", async () => {
  const world = memoryWorld();
  expect(await runCli([], world)).toBe(0);
  const [, commands = "", topics = ""] = /\nCommands\n([^]*)\n\nTopics.*\n([^]*)\n\n/.exec(world.out()) ?? [];
  expect(commands.split("\n")).toHaveLength(8);
  const names = topics.split("\n").map((line) => line.trim().split(" ", 1)[0]);
  expect(names).toEqual([...helpTopics.map(({ name }) => name), "all"]);
  const columns = `${commands}\n${topics}`.split("\n").map((line) => /^ {2}\S+ +/.exec(line)?.[0].length);
  expect(new Set(columns).size).toBe(1);
  expect(world.out().split(/\s+/).length).toBeLessThan(180);
});

test("every command is under a topic, and every topic has a page that exists", async () => {
  const listed: string[] = [];
  for (const { name, page } of helpTopics) {
    const { exit, out } = await runReal("help", name);
    expect(exit).toBe(0);
    expect(out).toContain(`${page} says more.`);
    expect(existsSync(page)).toBe(true);
    listed.push(...Array.from(out.matchAll(/^ {2}(\S+)/gm), ([, command = ""]) => command));
  }
  expect(listed.toSorted()).toEqual(commandTable.map(({ name }) => name).toSorted());
  expect(commandTable.map(({ name }) => name)).toEqual(expect.arrayContaining([...firstCommands]));
});

test("`help all` has every command, the other names and the options", async () => {
  const { out } = await runReal("help", "all");
  for (const { name, summary } of commandTable) {
    expect(out).toContain(`  ${name} `);
    expect(out.replaceAll(/\n +/g, " ")).toContain(summary);
  }
  expect(out).toContain("Other names\n  start   up\n");
  expect(out).toContain("--config <file>");
});

test("no arguments, --help and help all print help", async () => {
  const overview = await run();
  expect(overview).toMatchObject({ exit: 0, err: "" });
  expect(overview.out).toContain("clawport help <topic>");
  expect(await run("--help")).toEqual(overview);
  expect(await run("help")).toEqual(overview);
  const greeting = await run("greet", "--help");
  expect(greeting.out).toContain("clawport greet [<whom>] [options]");
  expect(greeting.out).toContain("-l, --loud");
  expect(await run("help", "greet")).toEqual(greeting);
  expect((await run("box", "--help")).out).toContain("clawport box open <box>");
  expect(await run("help", "box", "open")).toEqual(await run("box", "open", "--help"));
});

test("an unknown topic leads to the nearest topic or command", async () => {
  expect((await runReal("help", "sevrers")).err).toBe('clawport: unknown command "sevrers"; did you mean "servers"?\n');
  expect((await runReal("help", "computr")).err).toContain('did you mean "computer"?');
  expect((await runReal("help", "add")).out).toContain("clawport connect");
});

test("no line of the help is wider than the terminal", async () => {
  const world = memoryWorld();
  const stdout = { write: world.stdout.write.bind(world.stdout), columns: 60 };
  await runCli(["greet", "--help"], { ...world, stdout }, table);
  expect(
    Math.max(
      ...world
        .out()
        .split("\n")
        .map((line) => line.length),
    ),
  ).toBeLessThanOrEqual(60);
});

test("colours appear only on a terminal and without NO_COLOR", async () => {
  const terminal = memoryWorld();
  const stdout = { write: (text: string) => terminal.stdout.write(text), isTTY: true };
  await runCli([], { ...terminal, stdout }, table);
  expect(terminal.out()).toContain("\u001B[1m");
  const plain = memoryWorld({ env: { NO_COLOR: "1" } });
  await runCli([], { ...plain, stdout: { write: (text) => plain.stdout.write(text), isTTY: true } }, table);
  expect(plain.out()).not.toContain("\u001B");
});
