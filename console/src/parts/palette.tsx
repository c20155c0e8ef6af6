import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { connection } from "../hub/events.ts";
import { hub } from "../hub/control.ts";
import { type Command, listCommands, matchCommands, noteRecent, recentIds, toolCommand } from "./commands.ts";
import { Icon } from "./icon.tsx";
import { visible } from "./words.tsx";

const maxShown = 40;
const maxTools = 12;
const typingMs = 80;

/** Everything the page can do, by its words: Ctrl-K. Not loaded on demand: the first letters would be typed before it is there. */
export function Palette({ onClose }: { onClose(): void }) {
  const box = useRef<HTMLDialogElement>(null);
  const words = useSignal("");
  const at = useSignal(0);
  const tools = useSignal<readonly Command[]>([]);
  useLayoutEffect(() => box.current?.showModal(), []);
  useEffect(() => {
    at.value = 0;
    const query = words.value.trim();
    if (query === "") {
      tools.value = [];
      return undefined;
    }
    let isOld = false;
    const timer = setTimeout(() => {
      hub.tools.search({ query, limit: maxTools, closest: true }).then(
        (found) => isOld || (tools.value = found.tools.map(({ name }) => toolCommand(name))),
        // The frame says that the hub is gone; pages can still be opened.
        () => {},
      );
    }, typingMs);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [words.value]);

  const found = shownCommands(words.value, tools.value);
  const chosen = Math.min(at.value, found.length - 1);
  useEffect(() => box.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" }), [chosen]);
  const choose = (command: Command | undefined): void => {
    if (command === undefined) return;
    noteRecent(command.id);
    onClose();
    void command.run();
  };
  return (
    <dialog
      ref={box}
      class="palette"
      aria-label="Find and do"
      onClose={onClose}
      onClick={(event) => {
        if (event.target === box.current) onClose();
      }}
    >
      <div class="palette-search">
        <Icon name="search" size={14} />
        <input
          role="combobox"
          aria-label="Find a page, a server, a tool or something to do"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={chosen < 0 ? undefined : `palette-${chosen}`}
          placeholder="Find a page, a server, a tool or something to do"
          autocomplete="off"
          spellcheck={false}
          value={words.value}
          onInput={(event) => (words.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") choose(found[chosen]);
            else if (event.key === "ArrowDown") at.value = Math.min(found.length - 1, chosen + 1);
            else if (event.key === "ArrowUp") at.value = Math.max(0, chosen - 1);
            else return;
            event.preventDefault();
          }}
        />
        <kbd class="key">Esc</kbd>
      </div>
      <ul id="palette-list" role="listbox" aria-label="Found" class="palette-list">
        {found.map((command, index) => (
          <li
            key={command.id}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => choose(command)}
          >
            <Icon name={command.icon} size={14} />
            <span class={`grow clip${["tool", "server"].includes(command.kind) ? " mono" : ""}`}>
              {visible(command.words)}
            </span>
            <span class="small muted">{command.kind}</span>
            {command.hotkey && <kbd class="key">{command.hotkey}</kbd>}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="palette-none muted">Nothing has these words.</p>}
      {connection.value.state === "lost" && <p class="palette-none warn">No connection to the hub.</p>}
    </dialog>
  );
}

/** Without words: what was chosen last, then everything else. */
function shownCommands(query: string, tools: readonly Command[]): readonly Command[] {
  const known = listCommands();
  if (query.trim() !== "") {
    const matched = matchCommands(known, query);
    return [...matched.slice(0, maxShown - Math.min(tools.length, maxTools)), ...tools];
  }
  const recent = recentIds().flatMap((id) => {
    const command = id.startsWith("tool ") ? toolCommand(id.slice(5)) : known.find((each) => each.id === id);
    return command === undefined ? [] : [command];
  });
  const isRecent = new Set(recent.map(({ id }) => id));
  return [...recent, ...known.filter(({ id }) => !isRecent.has(id))].slice(0, maxShown);
}
