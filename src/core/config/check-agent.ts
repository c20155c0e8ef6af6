import type { AgentConfig, ModelConfig, TranscriptionConfig } from "./agent-schema.ts";
import type { Finding } from "./check-value.ts";

/** What a schema can't say of the agent: which fields belong together. */
export function checkAgent({ model, transcription }: AgentConfig): readonly Finding[] {
  const findings = [
    ...(model === undefined ? [] : checkModel(model)),
    ...(transcription === undefined ? [] : checkTranscription(transcription)),
  ];
  return findings.map((found) => ({ ...found, path: ["agent", ...found.path] }));
}

function checkModel({ name, provider, url, prices, maxCost }: ModelConfig): Finding[] {
  const findings: Finding[] = [];
  if (provider === undefined && url === undefined && !/^(?:anthropic|openai|google)\/./.test(name)) {
    const message =
      "needs its provider in front (anthropic/…, openai/…, google/…), or the `url` of a server that has it";
    findings.push({ path: ["model", "name"], message });
  }
  if (maxCost !== undefined && prices === undefined) {
    const message = "needs `prices`: without them nobody knows what an order costs";
    findings.push({ path: ["model", "maxCost"], message });
  }
  return findings;
}

function checkTranscription({ command, url }: TranscriptionConfig): Finding[] {
  const path = ["transcription"];
  if (command === undefined && url === undefined) return [{ path, message: "needs a `command` or a `url`" }];
  if (command === undefined) return [];
  if (url !== undefined) return [{ path, message: "has a `url` and a `command`; keep one of them" }];
  if (command.slice(1).some((argument) => argument.includes("{file}"))) return [];
  const message = "needs {file} in one of its arguments, where the path of the audio goes";
  return [{ path: [...path, "command"], message }];
}
