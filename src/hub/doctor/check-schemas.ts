import { countText } from "../../core/text/count-text.ts";
import { visibleText } from "../../core/text/peer-text.ts";
import { schemaBounds } from "../../mcp/schema/measure-value.ts";
import { prepareSchema } from "../../mcp/schema/prepare-schema.ts";
import type { ListedTool } from "../control/queries/list-tools.ts";
import type { DoctorFinding } from "./finding.ts";

const maxTools = 20;

/** Tools whose arguments should be checked here and are not, because their schema can't be checked within its bounds. */
export function checkSchemas(tools: readonly ListedTool[]): DoctorFinding[] {
  const findings = tools.flatMap((tool): DoctorFinding[] => {
    const reason = tool.judgesArguments ? undefined : (tool.unchecked ?? whyUncheckable(tool));
    if (reason === undefined) return [];
    const what = `tool ${visibleText(tool.name, 100)}: its arguments are not checked here, ${visibleText(reason, 200)}`;
    return [{ level: "info", what }];
  });
  const rest = findings.length - maxTools;
  if (rest <= 0) return findings;
  const more: DoctorFinding = {
    level: "info",
    what: `${countText(rest, "more tool")} whose arguments are not checked here`,
  };
  return [...findings.slice(0, maxTools), more];
}

function whyUncheckable({ inputSchema }: ListedTool): string | undefined {
  const prepared = prepareSchema(inputSchema, schemaBounds);
  return "uncheckable" in prepared ? prepared.uncheckable : undefined;
}
