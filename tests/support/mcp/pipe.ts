import { PassThrough } from "node:stream";
import type { McpServer } from "../../../src/mcp/server/mcp-server.ts";
import { serveStdio, type StdioOptions } from "../../../src/mcp/stdio/serve-stdio.ts";
import { until } from "../until.ts";
import type { Wire } from "./messages.ts";

/** A server behind a pair of streams, and the client's side of them. */
export interface Pipe {
  readonly input: PassThrough;
  readonly output: PassThrough;
  /** Every line the server wrote, parsed. */
  readonly lines: (Wire | Wire[])[];
  /** Resolves when the server has stopped serving. */
  readonly served: Promise<void>;
  send(...messages: readonly unknown[]): void;
  /** Resolves to the lines once there are `count` of them. */
  got(count: number): Promise<Wire[]>;
}

export function openPipe(server: McpServer, options: Omit<StdioOptions, "input" | "output"> = {}): Pipe {
  const input = new PassThrough();
  const output = new PassThrough();
  const lines: (Wire | Wire[])[] = [];
  let rest = "";
  output.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts.map((line) => JSON.parse(line) as Wire));
  });
  const served = serveStdio(server, { input, output, ...options });
  return {
    input,
    output,
    lines,
    served,
    send(...messages) {
      for (const message of messages) input.write(`${JSON.stringify(message)}\n`);
    },
    async got(count) {
      await until(() => lines.length >= count, `${count} lines`);
      return lines as Wire[];
    },
  };
}
