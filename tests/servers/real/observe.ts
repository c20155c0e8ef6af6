import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { settle } from "./settle.ts";

type Call = readonly [tool: string, args: Record<string, unknown>];

/** What to do with a server, beside listing everything it has. */
export interface Plan {
  /** In this order, since some change what others see. */
  readonly calls: readonly Call[];
  /** Tools that run only as tasks. Through us they may also be called without one, so that they are no part of the answers. */
  readonly tasks?: readonly string[];
  /** Calls with mistakes: our door looks at the arguments itself, so that only the failure is the same. */
  readonly mistakes?: readonly Call[];
  readonly prompts?: readonly (readonly [prompt: string, args: Record<string, string>])[];
  /** Besides those that are listed. */
  readonly uris?: readonly string[];
  readonly completions?: readonly Parameters<Client["complete"]>[0][];
}

export interface Observed {
  readonly tools: readonly object[];
  readonly prompts: readonly object[];
  readonly resources: readonly object[];
  readonly templates: readonly object[];
  readonly answers: readonly object[];
  /** What the server has and the plan forgot. */
  readonly untried: readonly string[];
}

/** Everything a server says to a plan, so that two ways to it can be compared. `prefix` is what its names begin with. */
export async function observe(client: Client, plan: Plan, prefix: string): Promise<Observed> {
  const bare = <T extends { name: string }>(item: T) => ({ ...item, name: item.name.slice(prefix.length) });
  const offers = client.getServerCapabilities() ?? {};
  const { tasks = [] } = plan;
  const tools = (await client.listTools()).tools
    .map(bare)
    .map((tool) => (tasks.includes(tool.name) ? { ...tool, execution: "as a task" } : tool));
  const prompts = offers.prompts ? (await client.listPrompts()).prompts.map(bare) : [];
  const resources = offers.resources ? (await client.listResources()).resources : [];
  const templates = offers.resources ? (await client.listResourceTemplates()).resourceTemplates : [];
  const answers: object[] = [];
  for (const [name, args] of plan.calls) {
    const steps: unknown[] = [];
    const call = client.callTool({ name: prefix + name, arguments: args }, undefined, {
      onprogress: (progress) => steps.push(progress),
    });
    const answer = await settle(call, prefix);
    // The client itself may miss the last one, which comes with the answer.
    answers.push({ name, args, answer, steps: steps.slice(0, 2) });
  }
  for (const [name, args] of plan.mistakes ?? []) {
    const answer = await client.callTool({ name: prefix + name, arguments: args }).catch(() => ({ isError: true }));
    answers.push({ name, args, isError: answer.isError ?? false });
  }
  for (const uri of [...resources.map((each) => each.uri), ...(plan.uris ?? [])])
    answers.push({ uri, answer: await settle(client.readResource({ uri }), prefix) });
  for (const [name, args] of plan.prompts ?? [])
    answers.push({
      name,
      args,
      answer: await settle(client.getPrompt({ name: prefix + name, arguments: args }), prefix),
    });
  for (const completion of plan.completions ?? []) {
    const { ref } = completion;
    const asked = ref.type === "ref/prompt" ? { ...completion, ref: { ...ref, name: prefix + ref.name } } : completion;
    answers.push({ completion, answer: await settle(client.complete(asked), prefix) });
  }
  const tried = new Set([...tasks, ...[...plan.calls, ...(plan.prompts ?? [])].map(([name]) => name)]);
  const untried = [...tools, ...prompts].map(({ name }) => name).filter((name) => !tried.has(name));
  return { tools, prompts, resources, templates, answers, untried };
}
