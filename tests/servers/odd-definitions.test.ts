import { specTypeSchemas } from "@modelcontextprotocol/client";
import {
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  ListToolsResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";
import { type FetchedLists, fetchLists } from "../../src/sources/servers/lists/fetch-lists.ts";

const wrong = [null, 5, "x", true, [], {}];

async function listed(of: { readonly tools?: object[]; readonly resources?: object[]; readonly prompts?: object[] }) {
  const { tools = [], resources = [], prompts = [] } = of;
  const resourceTemplates = resources.map((each) => ({ ...each, uriTemplate: "x:///{a}" }));
  const answers: Record<string, object> = {
    "tools/list": { tools },
    "resources/list": { resources },
    "resources/templates/list": { resourceTemplates },
    "prompts/list": { prompts },
  };
  const capabilities = { tools: {}, resources: {}, prompts: {} };
  const { lists } = await fetchLists((method) => Promise.resolve({ ...answers[method] }), capabilities);
  return lists;
}

/** One entry that a client's library refuses costs the client the whole list. */
function expectReadable(lists: FetchedLists["lists"]): void {
  const { tools, resources, templates, prompts } = lists;
  // A door leaves out for these clients what they don't know.
  ListToolsResultSchema.parse({ tools: tools.map(({ outputSchema: _unknown, ...tool }) => tool) });
  ListResourcesResultSchema.parse({ resources });
  ListResourceTemplatesResultSchema.parse({ resourceTemplates: templates });
  ListPromptsResultSchema.parse({ prompts });
  for (const tool of tools) expect(specTypeSchemas.Tool["~standard"].validate(tool)).not.toHaveProperty("issues");
}

const good = { name: "a", description: "Does a.", inputSchema: { type: "object" } };

test.each(["title", "description", "outputSchema", "annotations", "icons", "execution", "_meta"])(
  "a tool whose %s is of another type than MCP says is listed without it",
  async (field) => {
    for (const value of wrong) {
      const lists = await listed({
        tools: [
          { ...good, [field]: value },
          { ...good, name: "b" },
        ],
      });
      expect(lists.tools.map(({ name }) => name)).toEqual(["a", "b"]);
      expectReadable(lists);
    }
  },
);

test("what is right about a tool stays, and a right one stays the same object", async () => {
  const inputSchema = { properties: { any: true, none: false, odd: 5, text: { type: "string" } }, required: "text" };
  const annotations = { readOnlyHint: null, destructiveHint: false, title: 5 };
  const icons = [{ src: 5 }, { src: "data:," }];
  const whole = {
    ...good,
    title: "A",
    outputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
    icons: [{ src: "data:,", sizes: ["any"], theme: "dark" }],
    execution: { taskSupport: "optional" },
    _meta: { a: 1 },
    other: 5,
  };
  const lists = await listed({ tools: [{ ...good, inputSchema, annotations, icons, other: 5 }, whole] });
  expect(lists.tools[0]).toEqual({
    ...good,
    inputSchema: { type: "object", properties: { any: {}, none: { not: {} }, odd: {}, text: { type: "string" } } },
    annotations: { destructiveHint: false },
    icons: [{ src: "data:," }],
    other: 5,
  });
  expect(lists.tools[1]).toBe(whole);
  expectReadable(lists);
});

test("a tool that takes no object can't be called and is left out", async () => {
  const schemas = [...wrong.slice(0, 5), { type: "string" }, { type: ["string"] }, { type: ["object", "null"] }];
  const lists = await listed({ tools: [...schemas.map((inputSchema) => ({ ...good, inputSchema })), good] });
  expect(lists.tools.map(({ inputSchema }) => inputSchema)).toEqual([{ type: "object" }, { type: "object" }]);
  expectReadable(lists);
});

test.each(["name", "title", "description", "mimeType", "size", "annotations", "icons", "_meta"])(
  "a resource or a template whose %s is of another type is listed all the same",
  async (field) => {
    for (const value of wrong) {
      const lists = await listed({ resources: [{ uri: "x:///a", name: "a", [field]: value }] });
      expect([lists.resources.length, lists.templates.length]).toEqual([1, 1]);
      expectReadable(lists);
    }
    const annotations = { audience: ["all"], priority: 7, lastModified: "yesterday" };
    expectReadable(await listed({ resources: [{ uri: "x:///a", name: "a", annotations }] }));
  },
);

test.each(["title", "description", "arguments", "icons", "_meta"])(
  "a prompt whose %s is of another type is listed all the same",
  async (field) => {
    for (const value of [...wrong, [{ name: "a", required: null, description: 5 }, null, { name: 5 }]]) {
      const lists = await listed({ prompts: [{ name: "a", [field]: value }] });
      expect(lists.prompts).toHaveLength(1);
      expectReadable(lists);
    }
  },
);
