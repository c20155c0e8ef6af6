import { readFileSync, writeFileSync } from "node:fs";
import { inputSchema } from "../src/hub/control/input.ts";
import type { VerbNeed, VerbTable } from "../src/hub/control/verb.ts";
import { verbs } from "../src/hub/control/verbs.ts";

const page = new URL("../docs/control.md", import.meta.url);
const document = new URL("../docs/control.openapi.json", import.meta.url);
const mark = "-->\n\n";

/** Who may use a verb, by what it needs. */
export const opened = {
  relay: ["relay key", "control key"],
  look: ["control key", "console, looking", "console"],
  change: ["control key", "console"],
  person: ["console"],
} as const satisfies Readonly<Record<VerbNeed, readonly string[]>>;
const columns = ["relay key", "control key", "console, looking", "console"] as const;

export const namedVerbs = Object.entries(verbs as VerbTable).flatMap(([area, rows]) =>
  Object.entries(rows).map(([name, row]) => ({ name: `${area}.${name}`, ...row })),
);

/** What the documentation has to say of the table of verbs: the page with its list, and the OpenAPI document. */
export function controlDocs(): readonly { readonly file: URL; readonly text: string }[] {
  const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const list = [
    row(["verb", ...columns, "what it does"]),
    row(["verb", ...columns, ""].map(() => "---")),
    ...namedVerbs.map(({ name, needs, summary }) => {
      const by: readonly string[] = opened[needs];
      return row([`\`${name}\``, ...columns.map((column) => (by.includes(column) ? "yes" : "–")), summary]);
    }),
  ];
  const written = readFileSync(page, "utf8");
  const head = written.slice(0, written.indexOf(mark) + mark.length);
  return [
    { file: page, text: `${head}${list.join("\n")}\n` },
    { file: document, text: JSON.stringify(openApi(), undefined, 2) },
  ];
}

function openApi(): object {
  const json = (schema: object) => ({ "application/json": { schema } });
  const answer = (description: string, schema: object) => ({ description, content: json(schema) });
  const named = (response: string) => ({ $ref: `#/components/responses/${response}` });
  const error = { type: "object", properties: { code: { type: "string" }, message: { type: "string" }, detail: {} } };
  const paths = namedVerbs.map(({ name, needs, summary, input }) => [
    `/control/${name}`,
    {
      post: {
        operationId: name,
        tags: [name.slice(0, name.indexOf("."))],
        summary,
        description: `Opened by: ${opened[needs].join("; ")}.`,
        requestBody: { required: true, content: json(inputSchema(input)) },
        responses: { 200: named("result"), default: named("error") },
      },
    },
  ]);
  const description = "Answered at the hub's socket with a key as the bearer token; see control.md.";
  return {
    openapi: "3.1.0",
    info: { title: "Clawport's control API", version: "1", description },
    paths: Object.fromEntries(paths) as object,
    components: {
      responses: {
        result: answer("The result.", { type: "object", properties: { result: {} } }),
        error: answer("What went wrong.", { type: "object", properties: { error } }),
      },
    },
  };
}

if (import.meta.main) for (const { file, text } of controlDocs()) writeFileSync(file, text);
