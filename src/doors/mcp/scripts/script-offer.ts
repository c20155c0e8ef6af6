import { type CallContext, RequestCallContext } from "../../../catalog/call-context.ts";
import type { DoorKind } from "../../../catalog/caller.ts";
import { createSyntheticTool } from "../../../catalog/synthetic-tool.ts";
import type { View } from "../../../catalog/view.ts";
import { Fault } from "../../../core/fault.ts";
import type { Log } from "../../../core/log.ts";
import { textBlock, type Tool, textResult, type ToolResult } from "../../../mcp/messages/tool.ts";
import type { McpOffer, RequestContext, Requester } from "../../../mcp/server/offer.ts";
import { detachAfter } from "../../../mcp/server/tasks.ts";
import type { Scripts } from "../../../scripts/scripts.ts";
import { readResult } from "../results/result-definitions.ts";
import { ownerKey, type ResultOfferOptions } from "../results/result-offer.ts";
import { parseResultUri } from "../results/result-uri.ts";
import { searchToolsDefinition } from "../surface/search-definitions.ts";
import type { SurfaceSetting } from "../surface/choose-surface.ts";
import type { Surfaces } from "../surface/surfaces.ts";
import { type CallerRights, type CallGuard, callerOf } from "../view-offer.ts";
import type { ScriptAnswers } from "./script-answers.ts";
import { runScriptTool, scriptResultTool } from "./script-definitions.ts";

/** Who may send scripts, and what runs them. */
export interface ScriptSettings {
  /** `auto`: clients that search for their tools. */
  setting(): "auto" | "on" | "off";
  /** Loaded with the first script. */
  open(): Promise<Scripts>;
}

export interface ScriptOfferOptions {
  readonly scripts: ScriptSettings;
  readonly view: View;
  readonly guard: CallGuard;
  readonly door: DoorKind;
  readonly rights?: CallerRights | undefined;
  readonly log: Log;
  readonly results?: Pick<ResultOfferOptions, "results" | "tokenKey"> | undefined;
  readonly surfaces?: Surfaces | undefined;
  /** Without surfaces: what searches for scripts. */
  readonly search?: Pick<Surfaces, "search"> | undefined;
  /** What the address or the token of all callers chose. */
  readonly surface?: SurfaceSetting | undefined;
}

const sourceId = "scripts";
/** Of callers that searched, for the example in an error. */
const maxRemembered = 100;

/**
 * An offer with `run_script`. The script itself is a call like any other, of the source `scripts`; and so is each call
 * that it makes, of the tool that it calls.
 */
export function offerScripts(offer: McpOffer, options: ScriptOfferOptions): McpOffer {
  const { scripts, view, guard, door, rights = {}, log, results, surfaces } = options;
  const { tools } = offer;
  if (tools === undefined) return offer;
  const entries = [
    createSyntheticTool(sourceId, runScriptTool, async (_name, args, context) => (await answers()).run(args, context)),
    createSyntheticTool(sourceId, scriptResultTool, async (_name, args, context) =>
      (await answers()).result(args, context),
    ),
  ];
  const own = entries.map(({ definition }) => definition);
  const lists = new WeakMap<readonly Tool[], readonly Tool[]>();
  /** The example for each caller that has searched, by its name. */
  const examples = new Map<string, string>();
  let opening: Promise<ScriptAnswers> | undefined;
  const contextOf = (request: RequestContext) => new RequestCallContext(request, callerOf(request, door, rights), log);

  return {
    ...offer,
    tools: {
      ...tools,
      list(requester) {
        const list = tools.list(requester);
        const isShown = scripts.setting() === "on" || isRelay(requester) || list.includes(searchToolsDefinition);
        if (!isShown || list.length === 0 || !isOffered(requester)) return list;
        const longer = lists.get(list) ?? [...list, ...own];
        lists.set(list, longer);
        return longer;
      },
      find: (name, requester) => tools.find(name, requester) ?? findOwn(name, requester),
      findInner: (name, requester) =>
        (tools.findInner ? tools.findInner(name, requester) : tools.find(name, requester)) ?? findOwn(name, requester),
      call(tool, args, request) {
        const entry = entries[own.indexOf(tool)];
        if (entry !== undefined) return detachAfter(guard.call(entry, args, contextOf(request)), request);
        const answer = tools.call(tool, args, request);
        return tool === searchToolsDefinition && isOffered(request) ? withScriptLine(answer, request) : answer;
      },
    },
  };

  function isRelay({ client }: Requester): boolean {
    return options.surface === "full" && client.name === "clawport";
  }

  /** A client that was given the search may use scripts, too. */
  function isOffered(requester: Requester): boolean {
    const setting = scripts.setting();
    if (setting !== "auto") return setting === "on";
    // A relay with the token of its client reads the whole list, and knows whether that client searches.
    if (options.surface === "full") return true;
    return tools!.find(searchToolsDefinition.name, requester) === searchToolsDefinition;
  }

  function findOwn(name: string, requester: Requester): Tool | undefined {
    const tool = own.find((each) => each.name === name);
    return tool !== undefined && isOffered(requester) ? tool : undefined;
  }

  function answers(): Promise<ScriptAnswers> {
    return (opening ??= openAnswers().catch((error: unknown) => {
      // An update of the package may have replaced what is loaded here.
      opening = undefined;
      throw error;
    }));
  }

  async function openAnswers(): Promise<ScriptAnswers> {
    const { createScriptAnswers } = await import("./script-answers.ts");
    return createScriptAnswers({
      scripts: await scripts.open(),
      ownerOf: ({ caller }) => ownerKey(caller, results?.tokenKey),
      exampleFor: ({ caller }) => examples.get(caller.token ?? "") ?? anyExample,
      reach: { view, guard, search, readResult: readKept },
    });
  }

  async function search(query: unknown, limit: number | undefined): Promise<string> {
    const { content } =
      (await (surfaces ?? options.search)?.search(view, query, limit)) ?? textResult("There is no search here.");
    return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  }

  /** The whole text: what a script reads costs no one tokens. */
  function readKept(args: Readonly<Record<string, unknown>>, context: CallContext): Promise<ToolResult> {
    const whole = createSyntheticTool("results", readResult, async (_name, { id }: never, { caller }) => {
      if (results === undefined) throw new Fault("not-found", "No results are kept here.");
      const store = await results.results.store();
      await using kept = await store.open(ownerKey(caller, results.tokenKey), parseResultUri(String(id)).id);
      return textResult((await kept.read(0, kept.bytes)).toString("utf8"));
    });
    return guard.call(whole, args, context);
  }

  async function withScriptLine(
    answer: ToolResult | Promise<ToolResult>,
    { principal }: RequestContext,
  ): Promise<ToolResult> {
    const result = await answer;
    const [block] = result.content;
    const name = block?.type === "text" ? /^[^\s(]+(?=\()/.exec(block.text)?.[0] : undefined;
    const found = name === undefined ? undefined : view.find(name);
    if (found === undefined) return result;
    const { exampleOf, scriptPath } = await import("../../../scripts/script-path.ts");
    if (examples.size >= maxRemembered) examples.clear();
    examples.set(principal, exampleOf(found));
    return {
      ...result,
      content: [...result.content, textBlock(`In run_script: await tools.${scriptPath(found)}({ … })`)],
    };
  }
}

const anyExample = `const found = await tools.search("create an issue");\nreturn found;`;
