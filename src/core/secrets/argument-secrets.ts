import { asRecord } from "../is-record.ts";
import { isHarmlessVariable } from "../process/child-env.ts";
import { isSecretArgument } from "./redact-command-line.ts";
import type { ConfigFinding } from "../config/check-value.ts";
import type { SubstitutedConfig } from "../config/substitute-env.ts";

/**
 * Secrets in the arguments of servers: by the variable they come from, by the flag before them, or by their shape. Every
 * user of the computer can read the arguments of a process.
 */
export function findArgumentSecrets(written: unknown, values: SubstitutedConfig["values"]): readonly ConfigFinding[] {
  const taken = values.flatMap(({ path, name }): readonly ConfigFinding[] => {
    const isArgument = path[0] === "servers" && path[2] === "args" && path.length === 4;
    return isArgument && !isHarmlessVariable(name) ? [warn(path, `the value of $${name}`)] : [];
  });
  const literal = Object.entries(asRecord(asRecord(written)["servers"])).flatMap(([server, settings]) => {
    const { args } = asRecord(settings);
    const words = Array.isArray(args) ? args.filter((word) => typeof word === "string") : [];
    return words.flatMap((word, index): readonly ConfigFinding[] =>
      !word.includes("$") && isSecretArgument(words[index - 1], word)
        ? [warn(["servers", server, "args", index], "what looks like a secret")]
        : [],
    );
  });
  return [...taken, ...literal];
}

function warn(path: ConfigFinding["path"], what: string): ConfigFinding {
  const message = `has ${what}, which every user of this computer can read in \`ps\`; put it into \`env\` if the server takes it from a variable`;
  return { path, message };
}
