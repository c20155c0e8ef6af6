import { expect, test } from "vitest";
import { loadConfig } from "../load-config.ts";
import { readJson5 } from "../json5/read-json5.ts";
import { findRisks } from "./find-risks.ts";

const risksOf = async (text: string) =>
  findRisks(await loadConfig({ path: "clawport.json5", text, env: { KEY: "k3y-value" } }), readJson5(text).value);

test.each([
  "{}",
  '{hub:{host:"localhost",port:1},log:{level:"error"},catalog:{exclude:["*"]},debug:true}',
  '{apps:{host:"0.0.0.0",publicUrl:"https://apps.example"}}',
  // These can't loosen what the owner decided.
  '{policy:{preset:"open",rules:[{verdict:"allow"}]},audit:{enabled:false}}',
])("%s: no risk", async (text) => {
  expect(await risksOf(text)).toEqual([]);
});

test.each([
  ['{servers:{a:{command:"npx"}}}', ['it starts "npx"']],
  ['{servers:{a:{command:"npx",sandbox:"on"}}}', ['it starts "npx"']],
  ['{servers:{a:{command:"npx",sandbox:"off"}}}', ['it starts "npx" without a sandbox']],
  [
    '{servers:{a:{command:"npx",sandbox:{read:["~/notes\\u202e"],network:["a.example"]}}}}',
    [String.raw`it starts "npx" in a sandbox that reads ~/notes\u{202e}, writes nothing, network a.example`],
  ],
  ['{servers:{a:{command:"npx",pidNamespace:"off"}}}', ['it starts "npx" without a sandbox']],
  [
    '{servers:{a:{command:"bash",args:["-c","curl $$(cat ~/.ssh/id) # $KEY\\n\\u202e"],env:{A:"$KEY",B:"x y"},cwd:"sub"}}}',
    [String.raw`it starts "bash" "-c" "curl $$(cat ~/.ssh/id) # $KEY\n\u{202e}" with A="$KEY" B="x y" in "sub"`],
  ],
  [
    `{servers:{${Array.from({ length: 7 }, (_, at) => `s${at}:{url:"https://${at}.example/${"x".repeat(100)}"}`).join(",")}}}`,
    [`it connects to ${Array.from({ length: 7 }, (_, at) => `"https://${at}.example/${"x".repeat(100)}"`).join(", ")}`],
  ],
  ['{agent:{transcription:{command:["whisper","{file}"]}}}', ['it starts "whisper" "{file}"']],
  [
    '{servers:{a:{url:"https://a.example/mcp?in=the-file",apiKey:"in-the-file"}}}',
    ['it connects to "https://a.example/mcp?in=the-file"'],
  ],
  [
    '{servers:{a:{url:"https://a.example/?k=$KEY",apiKey:"$KEY"}}}',
    ['it connects to "https://a.example/?k=$KEY"', 'it may send "KEY" from your environment to servers'],
  ],
  [
    '{servers:{a:{url:"https://a.example/",auth:{grant:"workload",assertionFile:"id_rsa",authorizationServerUrl:"https://as.example"}}}}',
    ['it connects to "https://a.example/"', 'it sends the content of "id_rsa" to servers'],
  ],
  [
    '{catalog:{embeddings:{url:"https://e.example/v1?k=in-the-file",model:"m",apiKey:"$KEY"}}}',
    [
      'it connects to "https://e.example/v1?k=in-the-file"',
      'it may send "KEY" from your environment to servers',
      "it chooses the model that gets the definitions of your tools and what is searched for",
    ],
  ],
  ['{hub:{host:"0.0.0.0"}}', ["it opens the hub to other machines"]],
  ["{hub:{allowRemote:true}}", ["it opens the hub to other machines"]],
  ['{hub:{publicUrl:"https://hub.example"}}', ['it says that the hub is at "https://hub.example"']],
  ["{apps:{serve:true}}", ["it lets apps offer tools"]],
  [
    '{apps:{serve:true,allowedOrigins:["https://evil.example"]}}',
    ['it lets apps and pages of "https://evil.example" offer tools'],
  ],
  [
    '{apps:{serve:true,allowedHosts:["apps.example"]}}',
    ["it lets apps offer tools", "it opens the app proxy to other machines"],
  ],
  ['{agent:{backend:"commands"}}', ["it chooses the agent that gets your orders"]],
  ['{agent:{id:"other"}}', ["it chooses the agent that gets your orders"]],
  ['{agent:{model:{name:"openai/x"}}}', ["it chooses the model that gets your orders"]],
  ['{agent:{transcription:{url:"https://t.example"}}}', ["it chooses the service that gets the audio of your orders"]],
  ["{agent:{sampling:{}}}", ["it lets servers use your model"]],
])("%s: %s", async (text, risks) => {
  expect(await risksOf(text)).toEqual(risks);
});
