import type { Plan } from "./observe.ts";

const text = "data:text/plain,hello";

/** Every tool, resource, template, prompt and completion of the server «everything», also with wrong arguments. */
export const everythingPlan: Plan = {
  calls: [
    ["echo", { message: "ü 🦀 \u2028" }],
    ["get-annotated-message", { messageType: "error", includeImage: true }],
    ["get-annotated-message", { messageType: "success" }],
    ["get-env", {}],
    ["get-resource-links", { count: 4 }],
    ["get-resource-reference", { resourceType: "Text", resourceId: 2 }],
    ["get-resource-reference", { resourceType: "Blob", resourceId: 3 }],
    ["get-resource-reference", { resourceId: -1 }],
    ["get-structured-content", { location: "Chicago" }],
    ["get-sum", { a: 1.5, b: 2 }],
    ["get-tiny-image", {}],
    ["gzip-file-as-resource", { name: "a.gz", data: text, outputType: "resource" }],
    ["gzip-file-as-resource", { name: "a.gz", data: text }],
    ["gzip-file-as-resource", { name: "a.gz", data: "data:nonsense" }],
    ["toggle-simulated-logging", {}],
    ["toggle-simulated-logging", {}],
    ["toggle-subscriber-updates", {}],
    ["toggle-subscriber-updates", {}],
    ["trigger-long-running-operation", { duration: 0.3, steps: 3 }],
    ["get-roots-list", {}],
    ["trigger-elicitation-request", {}],
    ["trigger-url-elicitation", { url: "https://example.com/", elicitationId: "e1" }],
    ["trigger-url-elicitation", { url: "https://example.com/", elicitationId: "e2", errorPath: true }],
    ["trigger-sampling-request", { prompt: "Say hello", maxTokens: 5 }],
  ],
  tasks: ["simulate-research-query"],
  mistakes: [
    ["echo", {}],
    ["get-resource-links", { count: 0 }],
    ["get-structured-content", { location: "Nowhere" }],
    ["get-sum", { a: "1", b: 2 }],
    ["no-such-tool", {}],
  ],
  prompts: [
    ["simple-prompt", {}],
    ["args-prompt", { city: "Bern", state: "BE" }],
    ["args-prompt", { city: "Bern" }],
    ["completable-prompt", { department: "Sales", name: "David" }],
    ["resource-prompt", { resourceType: "Text", resourceId: "1" }],
    ["resource-prompt", { resourceType: "Blob", resourceId: "2" }],
    ["resource-prompt", { resourceType: "Text", resourceId: "no number" }],
  ],
  uris: [
    "demo://resource/dynamic/text/7",
    "demo://resource/dynamic/blob/8",
    "demo://resource/dynamic/text/none",
    "demo://resource/session/a.gz",
  ],
  completions: [
    { ref: { type: "ref/prompt", name: "completable-prompt" }, argument: { name: "department", value: "S" } },
    {
      ref: { type: "ref/prompt", name: "completable-prompt" },
      argument: { name: "name", value: "" },
      context: { arguments: { department: "Sales" } },
    },
    {
      ref: { type: "ref/resource", uri: "demo://resource/dynamic/text/{resourceId}" },
      argument: { name: "resourceId", value: "1" },
    },
  ],
};
