import { expect, test } from "vitest";
import { silentLog } from "../core/log.ts";
import { openPluginConfig } from "./plugin-config.ts";

test("a server with a reference to a secret is off, and the log says what to do instead", () => {
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (line: string) => void warnings.push(line) };
  const servers = {
    kept: { command: "node", env: { TOKEN: "${keychain:github}" } },
    plain: { command: "node", env: { TOKEN: "${GITHUB}" } },
  };
  const config = openPluginConfig({
    path: "/openclaw.json",
    env: { GITHUB: "value" },
    log,
    read: () => ({ servers }),
    adapt: (given) => given,
  });
  expect(config.problem()).toBeUndefined();
  expect(config.current().servers["kept"]?.enabled).toBe(false);
  expect(config.current().servers["plain"]).toMatchObject({ enabled: true, env: { TOKEN: "value" } });
  expect(warnings.join("\n")).toMatch(
    /needs the secret keychain:github: the plugin looks up no secrets; set a variable/,
  );
});
