import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { childEnv } from "../../src/core/process/child-env.ts";
import { installServer, realVersion } from "../servers/real/install-server.ts";
import { allowedWays } from "../servers/namespace-ways.ts";
import { clawport, makePlace, type Place, startHub } from "../support/cli/run-clawport.ts";
import { until } from "../support/until.ts";

const bubblewrap = (await allowedWays()).find(({ name }) => name === "bubblewrap");
const limit = { timeout: 300_000 };

interface RealHub extends AsyncDisposable {
  /** A folder of the user, with `hello.txt` in it. */
  readonly files: string;
  readonly place: Place;
  /** What `clawport status` says of the server, as soon as this is in it. */
  status(server: string, text: string): Promise<string>;
  call(tool: string, args: object): Promise<string>;
}

async function openHub(servers: (folder: string, files: string) => Readonly<Record<string, object>>): Promise<RealHub> {
  const made = await makePlace();
  // npm may need this computer's proxy and certificates.
  const place = { ...made, env: { ...childEnv(process.env), ...made.env } };
  const files = join(place.folder, "files");
  await mkdir(files);
  await mkdir(place.home, { mode: 0o700 });
  await writeFile(join(files, "hello.txt"), "hello");
  const config = { servers: servers(place.folder, files), machine: { enabled: false } };
  await writeFile(join(place.home, "clawport.json5"), JSON.stringify(config), { mode: 0o600 });
  const hub = await startHub(place, "--port", "0");
  return {
    files,
    place,
    async status(server, text) {
      let out = "";
      const isThere = async (): Promise<boolean> => {
        ({ out } = await clawport(place, "status", server));
        return out.includes(text);
      };
      await until(isThere, `${server}: ${text}`, 60_000).catch((cause: unknown) => {
        throw new Error(out, { cause });
      });
      return out;
    },
    call: async (tool, args) => {
      const { out, err } = await clawport(place, "call", tool, JSON.stringify(args));
      return `${out}${err}`;
    },
    async [Symbol.asyncDispose]() {
      await hub[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

test.runIf(bubblewrap)("servers that npx fetches work in a cage of their own", limit, async () => {
  const npx = (name: string, ...args: string[]): object => {
    return { command: "npx", args: ["-y", `@modelcontextprotocol/server-${name}@${realVersion}`, ...args] };
  };
  await using hub = await openHub((folder, files) => ({
    everything: { ...npx("everything"), sandbox: "on" },
    files: { ...npx("filesystem", files), sandbox: { write: [files], network: ["example.com"] } },
    memory: { ...npx("memory"), sandbox: "on", env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") } },
    forgetful: { ...npx("memory"), sandbox: "on" },
  }));
  for (const name of ["everything", "files", "memory", "forgetful"]) await hub.status(name, "Running");
  expect(await hub.call("everything__echo", { message: "from a cage" })).toContain("from a cage");
  expect(await hub.call("files__read_text_file", { path: join(hub.files, "hello.txt") })).toContain("hello");
  await hub.call("files__write_file", { path: join(hub.files, "new.txt"), content: "written" });
  expect(readFileSync(join(hub.files, "new.txt"), "utf8")).toBe("written");

  const entities = { entities: [{ name: "Ada", entityType: "person", observations: ["counts"] }] };
  expect(await hub.call("memory__create_entities", entities)).toContain("Ada");
  const kept = join(hub.place.home, "sandbox", "memory", "memory.jsonl");
  expect(readFileSync(kept, "utf8")).toContain("Ada");

  // Without the variable it writes beside its own program.
  expect(await hub.call("forgetful__create_entities", entities)).toContain("EROFS");
  const { out } = await clawport(hub.place, "logs", "forgetful");
  expect(out).toMatch(/the sandbox refused to write \S+memory\.jsonl.*`sandbox\.write`/);
});

test.runIf(bubblewrap)("servers run by their path work, and what they miss is named", limit, async () => {
  const [everything, files] = await Promise.all([installServer("everything"), installServer("filesystem")]);
  const before = join(import.meta.dirname, "../servers/long/no-network.ts");
  await using hub = await openHub((_, folder) => ({
    imported: { command: process.execPath, args: ["--import", before, everything.program], sandbox: "on" },
    options: {
      command: process.execPath,
      args: [everything.program],
      env: { NODE_OPTIONS: `--import=file://${before}` },
      sandbox: { write: [folder] },
    },
    hidden: { command: process.execPath, args: [files.program, folder], sandbox: "on" },
    shown: { command: process.execPath, args: [files.program, folder], sandbox: { read: [folder] } },
    fetching: {
      command: process.execPath,
      args: ["-e", "await fetch('https://api.example.com/')", "--input-type=module"],
      sandbox: "on",
    },
  }));
  for (const name of ["imported", "options", "shown"]) await hub.status(name, "Running");
  expect(await hub.call("imported__echo", { message: "one" })).toContain("one");
  expect(await hub.call("options__echo", { message: "two" })).toContain("two");
  expect(await hub.call("shown__read_text_file", { path: join(hub.files, "hello.txt") })).toContain("hello");

  const wish = `the sandbox hides ${hub.files}: add it to \`sandbox.read\` or \`sandbox.write\``;
  expect(await hub.status("hidden", "exited")).toContain(wish);
  expect((await clawport(hub.place, "logs", "hidden")).out).toContain(`clawport: ${wish}`);
  expect(await hub.status("fetching", "exited")).toContain("add api.example.com to `sandbox.network`");
});
