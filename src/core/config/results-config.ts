import { Type } from "./schema-type.ts";
import { maxTimerMs } from "../wait.ts";

/** The `results` section: text of tool results that is kept on disk and read in parts. */
export const resultsSchema = Type.Object(
  {
    maxTokens: Type.Union(
      [Type.Integer({ minimum: 1000, maximum: 100_000_000 }), Type.Enum(["off"], { description: "Never." })],
      {
        default: 25_000,
        description:
          "Tokens of text in one tool result above which a client gets a preview and a link instead, at `/`, `/mcp` and from `serve`. Estimated as one token for 4 bytes. `off` passes every result on whole.",
      },
    ),
    keep: Type.Integer({
      default: 3_600_000,
      minimum: 1000,
      maximum: maxTimerMs,
      description: "Milliseconds that such a result is kept.",
    }),
    maxBytes: Type.Integer({
      default: 268_435_456,
      minimum: 1_048_576,
      description: "Bytes of all kept results. The oldest are removed first.",
    }),
  },
  { additionalProperties: false, default: {}, description: "Large results of tools, kept and read in parts." },
);

export type ResultsConfig = Type.Static<typeof resultsSchema>;
