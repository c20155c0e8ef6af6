import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { memorySkillFiles, SkillsExtension } from "@modelcontextprotocol/server/ext/skills";
import { hash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Skill } from "../../src/mcp/messages/skill.ts";
import { type StartedHub, startHub } from "../support/start-hub.ts";
import { testOffer } from "../support/mcp/test-offer.ts";
import { openWeb } from "../support/mcp/web.ts";
import type { Source } from "../../src/catalog/source.ts";
import { testContext } from "../support/test-source.ts";
import { listenAndKeep } from "./fixtures/era-server.ts";
import { startEngine } from "../support/start-engine.ts";
import { program } from "../setup/programs.ts";

interface SkillServer extends AsyncDisposable {
  readonly url: string;
}

const skillFile = (name: string, more = "") =>
  `---\nname: ${name}\ndescription: "What ${name} does: a lot"\nmetadata:\n  version: "1.0"\n  tags: 'a, b'\n${more}---\n\n# ${name}\n\nSee references/more.md.\n`;

/** The official server of the skills extension. */
async function startSkillServer(files: Record<string, string>): Promise<SkillServer> {
  const catalog = await SkillsExtension.load(memorySkillFiles(files));
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "skills", version: "1" });
    catalog.attach(server);
    return server;
  });
  const handle = toNodeHandler(handler);
  const http = await listenAndKeep((request, response, body) =>
    handle(request as Parameters<typeof handle>[0], response, body),
  );
  return {
    ...http,
    async [Symbol.asyncDispose]() {
      await handler.close();
      await http[Symbol.asyncDispose]();
    },
  };
}

let one: SkillServer;
let two: SkillServer;
let hub: StartedHub;

beforeAll(async () => {
  one = await startSkillServer({
    "pdf/SKILL.md": skillFile("pdf"),
    "pdf/references/more.md": "More of one.\n",
    "only/SKILL.md": skillFile("only", "license: MIT\n"),
  });
  two = await startSkillServer({ "pdf/SKILL.md": skillFile("pdf"), "pdf/references/more.md": "More of two.\n" });
  hub = await startHub({ config: { servers: { one: { url: one.url }, two: { url: two.url } } } });
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  await one[Symbol.asyncDispose]();
  await two[Symbol.asyncDispose]();
});

async function connect(mode: "legacy" | { pin: string }, path = "") {
  const client = new Client({ name: "host", version: "1" }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${await hub.token("main")}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${hub.hub.url}${path}`), { requestInit }));
  return { client, skills: new SkillsClient(client), [Symbol.asyncDispose]: () => client.close() };
}

const uris = (skills: readonly { readonly uri: string }[]) => skills.map(({ uri }) => uri);

describe.each([["legacy" as const], [{ pin: "2026-07-28" }]])("the official client (%j)", (mode) => {
  test("lists the skills of all servers; those with the same URI have the name of their server", async () => {
    await using host = await connect(mode);
    expect(host.skills.supported).toBe(true);
    expect(host.skills.directoryRead).toBe(true);
    const { skills } = await host.skills.list();
    expect(uris(skills)).toEqual([
      "skill://only/SKILL.md",
      "skill://one.clawport/pdf/SKILL.md",
      "skill://two.clawport/pdf/SKILL.md",
    ]);
  });

  test("reads and verifies every file of every skill", async () => {
    await using host = await connect(mode);
    const { skills } = await host.skills.list();
    const pdfs = skills.filter(({ frontmatter }) => frontmatter.name === "pdf");
    const texts = await Promise.all(pdfs.map((skill) => host.skills.read(skill, "references/more.md")));
    expect(texts.map(({ text, verified }) => [text, verified])).toEqual([
      ["More of one.\n", true],
      ["More of two.\n", true],
    ]);
    const manifests = await Promise.all(skills.map((skill) => host.skills.read(skill)));
    expect(manifests.map(({ verified }) => verified)).toEqual([true, true, true]);
  });

  test("gets one skill, and lists a directory", async () => {
    await using host = await connect(mode);
    const { skill } = await host.skills.get("skill://two.clawport/pdf/SKILL.md");
    expect(uris(skill.resources as { uri: string }[])).toEqual([
      "skill://two.clawport/pdf/SKILL.md",
      "skill://two.clawport/pdf/references/more.md",
    ]);
    expect(uris([(await host.skills.get("skill://only/SKILL.md")).skill])).toEqual(["skill://only/SKILL.md"]);
    const { resources } = await host.skills.readDirectory("skill://two.clawport/pdf");
    expect(uris(resources)).toEqual(["skill://two.clawport/pdf/SKILL.md", "skill://two.clawport/pdf/references"]);
    const below = await host.skills.readDirectory("skill://two.clawport/pdf/references");
    expect(uris(below.resources)).toEqual(["skill://two.clawport/pdf/references/more.md"]);
    await expect(host.skills.get("skill://none/SKILL.md")).rejects.toMatchObject({ code: -32602 });
    await expect(host.skills.get("skill://pdf/SKILL.md")).rejects.toThrow("More than one server");
  });

  test("sees one server's skills at its own address as they are", async () => {
    await using host = await connect(mode, "/two");
    const { skills } = await host.skills.list();
    expect(uris(skills)).toEqual(["skill://pdf/SKILL.md"]);
    expect((await host.skills.read(skills[0]!, "references/more.md")).text).toBe("More of two.\n");
    expect(uris([(await host.skills.get("skill://pdf/SKILL.md")).skill])).toEqual(["skill://pdf/SKILL.md"]);
  });
});

test("a file that is not what the server's list says is not passed on, until the list says so", async () => {
  const uri = "skill://changing/SKILL.md";
  const text = skillFile("changing");
  const files = new Map([[uri, text]]);
  const entry = (described: string): Skill => ({
    uri,
    frontmatter: {
      name: "changing",
      description: "What changing does: a lot",
      metadata: { version: "1.0", tags: "a, b" },
    },
    resources: [{ uri, digest: `sha256:${hash("sha256", described)}`, size: Buffer.byteLength(described) }],
  });
  let listed = entry(text);
  const reads: string[] = [];
  const offer = testOffer({
    parts: {
      extensions: () => ({ "io.modelcontextprotocol/skills": {} }),
      resources: {
        list: () => [],
        templates: () => [],
        read: (read) => (reads.push(read), Promise.resolve({ contents: [{ uri: read, text: files.get(read)! }] })),
      },
      skills: {
        list: () => [entry(text)],
        get: () => Promise.resolve({ skill: listed }),
        readDirectory: () => Promise.resolve({ resources: [] }),
      },
    },
  });
  await using web = await openWeb(offer);
  await using engine = await startEngine({ own: { url: `http://127.0.0.1:${web.port}/` } });
  const source = engine.catalog.sources()[0] as Source;
  expect(source.skills!()).toEqual([entry(text)]);
  expect(reads).toEqual([]);
  const read = () => source.readResource!(uri, testContext());
  expect((await read()).contents).toEqual([{ uri, text }]);
  files.set(uri, `${text}more`);
  await expect(read()).rejects.toThrow(
    /^The server own sent "skill:\/\/changing\/SKILL.md" other than in its list of skills: it has \d+ bytes instead of \d+\. The file was not passed on\.$/,
  );
  files.set(uri, text.replace("See", "Eat"));
  await expect(read()).rejects.toMatchObject({
    code: "corrupt",
    message: expect.stringContaining("its digest differs"),
  });
  const other = text.replace("What changing does", "What nobody knows");
  files.set(uri, other);
  listed = entry(other);
  await expect(read()).rejects.toThrow("its frontmatter differs");
  const longer = text.replace("See references/more.md.", "See nothing.");
  files.set(uri, longer);
  listed = entry(longer);
  expect((await read()).contents).toEqual([{ uri, text: longer }]);
});

test("`serve --stdio` passes skills on to its client", async () => {
  const client = new Client({ name: "host", version: "1" }, { versionNegotiation: { mode: "legacy" } });
  const args = [program("src/cli/main.ts"), "serve", "--stdio"];
  const env = { PATH: process.env.PATH ?? "", CLAWPORT_HOME: hub.home.path, OPENCLAW_GATEWAY_PORT: "1" };
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd: hub.home.path }));
  try {
    const host = new SkillsClient(client);
    const { skills } = await host.list();
    expect(uris(skills)).toContain("skill://two.clawport/pdf/SKILL.md");
    const pdf = skills.find(({ uri }) => uri === "skill://two.clawport/pdf/SKILL.md")!;
    expect(await host.read(pdf)).toMatchObject({ verified: true });
    expect(uris((await host.readDirectory("skill://only")).resources)).toEqual(["skill://only/SKILL.md"]);
  } finally {
    await client.close();
  }
});

test("skills that are not valid, or listed twice, are left out", async () => {
  const skill = (name: string, resources: unknown = "dynamic") => ({
    uri: `skill://${name}/SKILL.md`,
    frontmatter: { name, description: "d" },
    resources,
  });
  let deep: unknown = [];
  for (let level = 0; level < 3000; level++) deep = [deep];
  const listed = [
    skill("good"),
    skill("twice"),
    skill("twice"),
    skill("bad", [{ uri: "skill://x" }]),
    { ...skill("deep"), frontmatter: { name: "deep", description: "d", deep } },
    7,
  ];
  const skills = {
    list: () => listed as readonly Skill[],
    get: () => Promise.reject(new Error("none")),
    readDirectory: () => Promise.reject(new Error("none")),
  };
  await using web = await openWeb(
    testOffer({ parts: { extensions: () => ({ "io.modelcontextprotocol/skills": {} }), skills } }),
  );
  await using engine = await startEngine({ own: { url: `http://127.0.0.1:${web.port}/` } });
  expect(engine.catalog.sources()[0]!.skills!()).toEqual([skill("good")]);
});
