import { randomBytes } from "node:crypto";
import { asRecord } from "../../../../core/is-record.ts";
import type { CanvasPage } from "../browser/canvas-page.ts";
import type { A2uiMessage } from "./a2ui-messages.ts";
import { a2uiPage } from "./a2ui-page.ts";
import {
  type A2uiData,
  type A2uiSurface,
  type A2uiSurfaces,
  applyMessages,
  hiddenNames,
  isMap,
  withInputs,
} from "./a2ui-surfaces.ts";
import { hiddenText, treeOf } from "./a2ui-tree.ts";

/** The surfaces on the page, as the messages and the user have made them. */
export interface A2uiBoard {
  push(messages: readonly A2uiMessage[], signal: AbortSignal): Promise<readonly string[]>;
  /** With what the user has entered and pressed. What was typed into obscured fields stays hidden. */
  dump(): Promise<A2uiDump>;
}

export interface A2uiDump {
  readonly surfaces: Readonly<Record<string, unknown>>;
  readonly actions: readonly unknown[];
}

const askMs = 5000;
const maxInputs = 5000;
const maxTextLength = 100_000;

/** Shows an empty board on the page. */
export async function openBoard(page: CanvasPage, signal: AbortSignal): Promise<A2uiBoard> {
  let surfaces: A2uiSurfaces = new Map();
  await page.show(a2uiPage(randomBytes(16).toString("hex")), signal);

  async function read(): Promise<readonly unknown[]> {
    const { inputs, actions } = asRecord(await page.evaluate("clawportA2ui.read()", askMs));
    surfaces = withInputs(surfaces, Array.isArray(inputs) ? inputs.slice(0, maxInputs).flatMap(checkedInput) : []);
    return Array.isArray(actions) ? actions.slice(-100) : [];
  }

  return {
    async push(messages, callSignal) {
      await read();
      const next = applyMessages(surfaces, messages);
      await page.evaluate(`clawportA2ui.render(${JSON.stringify(treeOf(next))})`, askMs, callSignal);
      surfaces = next;
      return [...next.keys()];
    },
    async dump() {
      const actions = await read();
      return {
        surfaces: Object.fromEntries(Array.from(surfaces, ([id, surface]) => [id, describe(surface)])),
        actions,
      };
    },
  };
}

/** It comes from a page in which a caller may run scripts. */
function checkedInput(entry: unknown): { surface: string; path: string; value: A2uiData[string] }[] {
  const { surface, path, value } = asRecord(entry);
  if (typeof surface !== "string" || typeof path !== "string" || path.length > 2000) return [];
  if (typeof value === "string") return [{ surface, path, value: value.slice(0, maxTextLength) }];
  if (typeof value === "number" || typeof value === "boolean") return [{ surface, path, value }];
  return Array.isArray(value) ? [{ surface, path, value: value.slice(0, 1000).map(String) }] : [];
}

function describe(surface: A2uiSurface): object {
  const { root = null, components, data } = surface;
  const list = Array.from(components.values(), ({ id, type, fields }) => ({ id, component: { [type]: fields } }));
  return { root, components: list, dataModel: withoutHidden(data, hiddenNames(surface)) };
}

function withoutHidden(data: A2uiData, hidden: ReadonlySet<string>): unknown {
  const shown = Object.entries(data).map(([name, value]) => {
    if (isMap(value)) return [name, withoutHidden(value, hidden)];
    return [name, hidden.has(name) && value !== "" ? hiddenText : value];
  });
  return Object.fromEntries(shown);
}
