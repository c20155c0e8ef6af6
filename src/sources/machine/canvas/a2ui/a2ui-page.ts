/**
 * The page that shows the surfaces. It builds elements from a tree that is handed to it, never from text as HTML, and keeps
 * what the user enters and presses until it is asked.
 */
export function a2uiPage(nonce: string): string {
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; img-src * data:; media-src *`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Canvas</title><style nonce="${nonce}">${style}</style></head>
<body><script nonce="${nonce}">${script}</script></body></html>`;
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; padding: 16px; }
.column { display: flex; flex-direction: column; gap: 12px; }
.row { display: flex; flex-direction: row; gap: 12px; align-items: center; }
.card { padding: 16px; border: 1px solid #8884; border-radius: 12px; }
.caption { font-size: 0.85em; opacity: 0.75; }
.field { display: flex; flex-direction: column; gap: 4px; }
.check { display: flex; flex-direction: row-reverse; justify-content: flex-end; gap: 8px; }
.icon { font-size: 0.85em; opacity: 0.75; }
.unknown { opacity: 0.5; }
h1, h2, h3, h4, h5, p { margin: 0; }
img, video { max-width: 100%; }
button { padding: 8px 16px; border: 1px solid #8886; border-radius: 8px; font: inherit; }
button.primary { background: #2563eb; border-color: #2563eb; color: #fff; }
input, select, textarea { padding: 6px 8px; font: inherit; }
`;

/** Plain JavaScript for the browser. Texts become text nodes; attributes come from a fixed set, without handlers. */
const script = String.raw`
"use strict";
globalThis.clawportA2ui = (() => {
  const inputs = new Map();
  let actions = [];
  const keyOf = (surface, path) => JSON.stringify([surface, path]);
  const valueAt = (surface, path, before) => {
    const known = path === undefined ? undefined : inputs.get(keyOf(surface, path));
    return known === undefined ? before : known.value;
  };
  const read = (element) => {
    if (element.type === "checkbox") return element.checked;
    if (element.type === "range" || element.type === "number") return Number(element.value);
    if (element.multiple) return Array.from(element.selectedOptions, (option) => option.value);
    return element.value;
  };
  const write = (element, value) => {
    if (element.type === "checkbox") element.checked = value === true;
    else if (element.tagName === "SELECT") {
      const chosen = new Set([value].flat().map(String));
      for (const option of element.options) option.selected = chosen.has(option.value);
    } else element.value = String(value);
  };
  function build(node) {
    const element = document.createElement(node.tag);
    if (node.kind) element.className = node.kind;
    for (const [name, value] of Object.entries(node.attributes ?? {})) element.setAttribute(name, value);
    if (node.text !== undefined) element.append(node.text);
    for (const child of node.children ?? []) element.append(build(child));
    if (node.weight !== undefined) element.style.flexGrow = String(node.weight);
    if (node.input) {
      const { surface, path, value } = node.input;
      write(element, value);
      element.addEventListener("input", () => inputs.set(keyOf(surface, path), { surface, path, value: read(element) }));
    }
    if (node.action) {
      const { surface, component, name, context } = node.action;
      element.addEventListener("click", () => {
        const values = context.map(({ key, path, value }) => [key, valueAt(surface, path, value)]);
        actions.push({ name, surfaceId: surface, sourceComponentId: component, timestamp: new Date().toISOString(),
          context: Object.fromEntries(values) });
        actions = actions.slice(-100);
      });
    }
    return element;
  }
  return {
    render(tree) {
      inputs.clear();
      document.body.replaceChildren(...tree.map(build));
      return true;
    },
    read: () => ({ inputs: [...inputs.values()], actions }),
  };
})();
`;
