import type { Client } from "@modelcontextprotocol/client";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { needle, type Task } from "./tasks.ts";

/** What a client puts before its model in every turn. */
export interface Offered {
  readonly definitions: number;
  readonly tools: number;
  readonly instructions: number;
}

export interface TaskCost {
  /** Tokens that the model reads and writes, over all turns. */
  readonly tokens: number;
  readonly turns: number;
  readonly passed: boolean;
}

export async function readOffer(client: Client): Promise<Offered> {
  const { tools } = await client.listTools();
  return {
    tools: tools.length,
    // What clients give their models of a definition.
    definitions: tokensOf(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))),
    instructions: countTokens(client.getInstructions() ?? ""),
  };
}

/**
 * Does a task as a model would that makes no mistakes: every turn it reads everything so far again. Under `search` it
 * looks for each tool before it calls it, and fails if the tool is not among what is found.
 */
export async function runTask(
  client: Client,
  task: Task,
  folder: string,
  surface: "full" | "search",
): Promise<TaskCost> {
  const { definitions, instructions } = await readOffer(client);
  let [history, tokens, turns, passed] = [countTokens(task.prompt), 0, 0, true];
  const steps = task.steps(folder);
  for (const { query, tool, args, expects } of steps) {
    if (surface === "search") {
      const found = await turn("search_tools", { query });
      passed &&= found.includes(`${tool}(`);
    }
    const answer =
      surface === "search" ? await turn("call_tool", { name: tool, arguments: args }) : await turn(tool, args);
    passed &&= expects.test(answer);
    if (task.wanted !== undefined) passed &&= (await find(task.wanted, answer)).includes(needle);
  }
  count("Done.");
  return { tokens, turns, passed };

  /** A large result that was kept is searched and not read. */
  async function find(wanted: RegExp, answer: string): Promise<string> {
    const id = /clawport:\/\/results\/([\w-]+)/.exec(answer)?.[1];
    return id === undefined ? answer : turn("search_result", { id, pattern: wanted.source });
  }

  async function turn(name: string, args: object): Promise<string> {
    count(JSON.stringify({ name, arguments: args }));
    const result = await client.callTool({ name, arguments: { ...args } });
    const text = JSON.stringify(result.content);
    history += countTokens(text);
    return text;
  }

  function count(written: string): void {
    const output = countTokens(written);
    turns++;
    tokens += definitions + instructions + history + output;
    history += output;
  }
}

function tokensOf(value: unknown): number {
  return countTokens(JSON.stringify(value));
}
