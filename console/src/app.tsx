import { effect, signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { toFault } from "../../src/core/fault.ts";
import { notice, show, spoken } from "./hub/act.ts";
import { connection, mayChange } from "./hub/events.ts";
import { standing } from "./hub/session.ts";
import { waitingCount } from "./hub/shared.ts";
import { otherPages, type PageProps, pages } from "./pages/page-table.ts";
import { Button } from "./parts/button.tsx";
import { KeyHelp, PalettePlace } from "./parts/keyboard.tsx";
import { SideBar, sideOpen } from "./parts/side-bar.tsx";
import { TopBar } from "./parts/top-bar.tsx";
import { NotFound } from "./parts/states.tsx";
import { Ago, visible } from "./parts/words.tsx";
import { SignedOut } from "./pages/signed-out.tsx";
import { route, subject } from "./router/route.tsx";
import { Prose } from "./parts/prose.tsx";

const loaded = signal<ReadonlyMap<string, ComponentType<PageProps>>>(new Map());

/** The frame around every page. */
export function App() {
  const [id = "", ...rest] = route.value;
  const page = [...pages, ...otherPages].find((each) => each.id === id);
  const Page = loaded.value.get(id);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);

  useEffect(() => {
    sideOpen.value = false;
    // A page that was opened by a link is where reading goes on.
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
    if (page === undefined || loaded.value.has(id)) return;
    page.load().then(
      (component) => (loaded.value = new Map([...loaded.value, [id, component]])),
      (error) => show("failed", `This page could not be loaded: ${toFault(error).message} Reload to try again.`),
    );
  }, [id]);

  useEffect(
    () =>
      effect(() => {
        const count = waitingCount.value;
        const parts = [subject.value && visible(subject.value), page?.title ?? "Not found", "Clawport"];
        document.title = `${count > 0 ? `(${count}) ` : ""}${parts.filter(Boolean).join(" · ")}`;
      }),
    [id],
  );

  const isUnproven = standing.value === "unproven";
  // What a page shows that was live stays in view; one that never was has nothing to show.
  const hasEnded = !["opening", "signed-in"].includes(standing.value);
  if (hasEnded && !(isUnproven && connection.value.newsAt > 0)) return <SignedOut />;
  const isLost = connection.value.state === "lost";
  return (
    <>
      <div class="shell">
        <a class="skip" href="#page" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
          Skip to the page
        </a>
        <SideBar current={id} />
        <div class="main">
          <TopBar title={page?.title ?? "Not found"} home={id} rest={id === "servers" || id === "tools" ? rest : []} />
          <div>
            {isUnproven && (
              <div class="banner banner-bad" role="alert">
                <span class="grow">
                  What answers at this address does not prove that it is your hub: the hub was restarted, or another
                  program holds its port. Nothing more is sent. What you see is from{" "}
                  <Ago at={connection.value.newsAt || undefined} />. Close this page, and run{" "}
                  <code>clawport console</code> for a new link.
                </span>
              </div>
            )}
            {isLost && !isUnproven && (
              <div class="banner" role="status">
                <span class="grow">
                  No connection to the hub. What you see is from <Ago at={connection.value.newsAt || undefined} />.
                  Trying again…
                </span>
              </div>
            )}
            {!mayChange.value && !isUnproven && (
              <div class="banner" role="status">
                This link may only look. To approve and change things, run <code>clawport console</code> at a terminal.
              </div>
            )}
          </div>
          <main
            id="page"
            ref={main}
            tabIndex={-1}
            class={`page${page?.full ? " page-full" : ""}${isLost ? " stale" : ""}`}
          >
            {page === undefined ? <NotFound /> : Page && <Page rest={rest} />}
          </main>
        </div>
      </div>
      <NoticeBox />
      <KeyHelp />
      <PalettePlace />
      <div class="hidden" role="status" aria-live="polite">
        {spoken}
      </div>
    </>
  );
}

function NoticeBox() {
  const now = notice.value;
  return (
    <div role="status" aria-live="polite">
      {now && (
        <div class="notice" data-notice={now.kind}>
          <span class={`grow ${now.kind === "failed" ? "bad" : ""}`}>
            <Prose text={now.text} />
          </span>
          <Button local kind="quiet" icon="close" label="Dismiss" onClick={() => (notice.value = undefined)} />
        </div>
      )}
    </div>
  );
}

let known = 0;
effect(() => {
  const count = waitingCount.value;
  if (count > known)
    spoken.value = count === 1 ? "Something waits for your approval." : `${count} things wait for your approval.`;
  known = count;
});
