import { largeLog, tasks } from "../../../bench/tokens/tasks.ts";
import type { BothWays } from "./open-both-ways.ts";

/** What the tasks need in the folder of the servers. */
export const taskFiles = { "large.log": largeLog() };

/**
 * Does the tasks of the token bench with honest servers, as the preset `default` guards them. Returns what screening
 * said about the servers, their definitions and their answers, and the steps that did not succeed: nothing, if all is well.
 */
export async function complaintsOfTasks({ hub, folder, control }: BothWays): Promise<readonly string[]> {
  const complaints: string[] = [];
  for (const { title, steps } of tasks) {
    for (const { tool, args, expects } of steps(folder)) {
      const [server = "", name = ""] = tool.split("__");
      await using client = await hub(server);
      const answer = JSON.stringify(await client.ask("tools/call", { name, arguments: args }));
      if (!expects.test(answer)) complaints.push(`${title}: ${tool} answered ${answer.slice(0, 300)}`);
      if (/"clawport\/(?:findings|notice)"/.test(answer)) complaints.push(`${title}: the answer of ${tool} is marked`);
    }
  }
  const { waiting, refused, changed } = await control.approvals.list();
  for (const { tool } of [...waiting, ...refused]) complaints.push(`${tool} was asked about`);
  for (const { name, state } of changed) complaints.push(`${name} is ${state}`);
  return complaints;
}
