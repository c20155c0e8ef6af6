import type { CageConfig } from "../../../core/config/sandbox-config.ts";

/** What a command in a cage of its own may reach, in one line: `reads ~/notes, writes nothing, network api.github.com`. */
export function cageText({ read, write, network, env }: CageConfig, homedir: string): string {
  const short = (path: string): string => (path.startsWith(`${homedir}/`) ? `~${path.slice(homedir.length)}` : path);
  const list = (words: readonly string[]): string => (words.length === 0 ? "nothing" : words.map(short).join(" "));
  return [
    `reads ${list([...read, ...write])}`,
    `writes ${list(write)}`,
    network === true ? "the whole network" : network === false ? "no network" : `network ${list(network)}`,
    ...(env.length === 0 ? [] : [`variables ${env.join(" ")}`]),
  ].join(", ");
}
