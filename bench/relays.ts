import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { installPackage } from "../conformance/install-package.ts";
import { home } from "./child.ts";
import { cliFile } from "./targets.ts";

/** Something that offers an HTTP server's tools over stdio. */
export interface RelayCommand {
  readonly args: readonly string[];
  /** What it calls the server's `echo`. */
  readonly tool: string;
  /** The file that its helpers name in their command line, where it leaves the work to them. */
  readonly helpersName?: string;
}

export interface Relay {
  readonly title: string;
  /** What to start with Node to reach the server at this address. */
  prepare(url: string): Promise<RelayCommand>;
}

/** Peers send every result whole, so it does here. */
export const ours = clawport("clawport serve --stdio", { results: { maxTokens: "off" } });

/** With its default settings: large results are kept, and previews of them are sent. */
export const oursByDefault = clawport("clawport serve --stdio, by default", {});

function clawport(title: string, settings: object): Relay {
  return {
    title,
    async prepare(url) {
      const folder = path.join(home, title.replaceAll(/\W+/g, "-"));
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(path.join(folder, "clawport.json5"), JSON.stringify({ servers: { limit: { url } }, ...settings }));
      return { args: [cliFile, "serve", "--stdio", "--home", folder], tool: "limit__echo" };
    },
  };
}

/** What people use today. Installed at first use into `.cache`, never a dependency. */
export const peers: readonly Relay[] = [
  {
    title: "mcp-remote 0.15.1",
    async prepare(url) {
      const program = await installPeer("mcp-remote", "0.15.1", "dist/proxy.js");
      return { args: [program, url, "--silent", "--transport", "http-only"], tool: "echo" };
    },
  },
  {
    title: "supergateway 4.0.0",
    async prepare(url) {
      const program = await installPeer("supergateway", "4.0.0", "dist/index.js");
      return { args: [program, "--streamableHttp", url, "--logLevel", "none"], tool: "echo" };
    },
  },
  {
    title: "mcporter 0.12.3 with its daemon",
    async prepare(url) {
      const program = await installPeer("mcporter", "0.12.3", "dist/cli.js");
      const file = path.join(home, "mcporter.json");
      const mcpServers = { limit: { baseUrl: url, lifecycle: "keep-alive" } };
      writeFileSync(file, JSON.stringify({ imports: [], mcpServers }));
      return { args: [program, "--config", file, "serve", "--stdio"], tool: "limit__echo", helpersName: file };
    },
  },
];

async function installPeer(name: string, version: string, program: string): Promise<string> {
  return path.join(await installPackage(name, version, `bench-peers/${name}`), program);
}
