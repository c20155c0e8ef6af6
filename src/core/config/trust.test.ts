import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openHome } from "../files/home.ts";
import type { ConfigLocation } from "./find-config.ts";
import { loadConfig } from "./load-config.ts";
import { findRisks, hashConfig, judgeTrust, readTrusted, rememberTrust } from "./trust.ts";

const load = (text: string) => loadConfig({ path: "clawport.json5", text, env: { KEY: "k" } });
const locations: readonly ConfigLocation[] = ["flag", "working-folder", "state-folder"];

test("only an unknown configuration in the working folder with risks must be trusted", () => {
  for (const location of locations) {
    for (const risks of [["it starts commands"], []]) {
      for (const isKnown of [true, false]) {
        const trustedHashes = new Set(isKnown ? ["hash", "other"] : ["other"]);
        const verdict = judgeTrust({ location, risks, contentHash: "hash", trustedHashes });
        expect(verdict.pass).toBe(!(location === "working-folder" && risks.length > 0 && !isKnown));
      }
    }
  }
});

test("the verdict says what the configuration would do, and how to trust it", () => {
  const facts = { location: "working-folder", contentHash: "h", trustedHashes: new Set<string>() } as const;
  const verdict = judgeTrust({ ...facts, risks: ["it opens the hub", "it starts commands"] });
  expect(verdict).toMatchObject({
    pass: false,
    reason: expect.stringMatching(/, and it opens the hub; it starts commands\. .*--trust/) as string,
  });
});

test("one address and one key in the file are no risk", async () => {
  const loaded = await load('{servers:{a:{url:"https://a.example/mcp",apiKey:"in-the-file"}},hub:{port:1}}');
  expect(findRisks(loaded)).toEqual([]);
});

test.each([
  ['{servers:{a:{command:"npx"}}}', 'it starts "npx"'],
  ['{servers:{a:{url:"https://a.example/",apiKey:"$KEY"}}}', 'it may send "KEY" from your environment to servers'],
  [
    '{servers:{a:{url:"https://a.example/",auth:{grant:"workload",assertionFile:"id_rsa",authorizationServerUrl:"https://as.example"}}}}',
    'it sends the content of "id_rsa" to servers',
  ],
  ['{hub:{host:"0.0.0.0"}}', "it opens the hub to other machines"],
  ["{hub:{allowRemote:true}}", "it opens the hub to other machines"],
  ["{apps:{serve:true}}", "it lets apps offer tools"],
  [
    '{apps:{serve:true,allowedOrigins:["https://evil.example"]}}',
    'it lets apps and pages of "https://evil.example" offer tools',
  ],
  ["{audit:{enabled:false}}", "it keeps no record of calls"],
  ['{policy:{preset:"open"}}', "it lets tools run without asking"],
  ['{policy:{rules:[{verdict:"allow"}]}}', "it lets tools run without asking"],
])("%s: %s", async (text, risk) => {
  const loaded = await load(text);
  expect(findRisks(loaded)).toEqual([risk]);
});

test("trust is remembered by content, across processes", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "clawport-"));
  const home = await openHome(folder.path);
  const [first, changed] = [hashConfig(await load("{}")), hashConfig(await load("{ }"))];
  expect(first).not.toBe(changed);
  expect(await readTrusted(home)).toEqual(new Set());
  await Promise.all([rememberTrust(home, first), rememberTrust(home, "other"), rememberTrust(home, first)]);
  expect(await readTrusted(home)).toEqual(new Set([first, "other"]));
});
