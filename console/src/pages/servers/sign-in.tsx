import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Fault } from "../../../../src/core/fault.ts";
import type { DevicePrompt } from "../../../../src/hub/sign-in/sign-ins.ts";
import type { ServerStatus } from "../../../../src/sources/servers/server-status.ts";
import { act } from "../../hub/act.ts";
import { hub } from "../../hub/control.ts";
import { servers } from "../../hub/shared.ts";
import { Panel } from "../../parts/blocks.tsx";
import { Button, CopyButton } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { visible } from "../../parts/words.tsx";
import { pathTo } from "../../router/route.tsx";

type Stage =
  | { readonly kind: "idle" }
  | { readonly kind: "redirect"; readonly url: string; readonly paste: boolean }
  | { readonly kind: "device"; readonly prompt: DevicePrompt };

/** Signing in to a server: in this browser, or with a code on another device. */
export function SignIn({ server }: { readonly server: ServerStatus }) {
  const stage = useSignal<Stage>({ kind: "idle" });
  const { name } = server;
  const isNeeded = server.state === "needs-sign-in";
  useEffect(() => {
    if (!isNeeded) stage.value = { kind: "idle" };
  }, [isNeeded]);

  async function begin(): Promise<void> {
    await act(async () => {
      const way = await hub.signIns.methodFor({ server: name });
      if (way.device === true) return beginDevice();
      // A registered client may have a fixed address to return to. What arrives there is pasted here.
      const isFixed = way.uri !== undefined || way.port !== undefined;
      const redirectUri =
        way.uri ?? (way.port === undefined ? returnAddress(name) : `http://127.0.0.1:${way.port}/callback`);
      const begun = await hub.signIns.begin({ server: name, redirectUri });
      if (begun.kind === "signed-in") servers.reload();
      // The address is the server's choice.
      else if (!/^https?:\/\//i.test(begun.url))
        throw new Fault("denied", "This server named an address that is not on the web.");
      else stage.value = { kind: "redirect", url: begun.url, paste: isFixed };
    });
  }

  async function beginDevice(): Promise<void> {
    await act(async () => {
      const prompt = await hub.signIns.beginDevice({ server: name });
      stage.value = { kind: "device", prompt };
      void awaitDevice(prompt.userCode);
    });
  }

  async function awaitDevice(userCode: string): Promise<void> {
    await act(() => hub.signIns.awaitDevice({ server: name, userCode }), `Signed in to ${name}.`);
    stage.value = { kind: "idle" };
    servers.reload();
  }

  return (
    <Panel title={isNeeded ? "Sign in" : "Signed in"}>
      {stage.value.kind === "idle" && (
        <div class="row row-wrap">
          <span class="grow muted">
            {isNeeded ? `${visible(name)} wants to know who you are.` : "Clawport keeps and renews the sign-in."}
          </span>
          {isNeeded ? (
            <>
              <Button kind="main" onClick={begin}>
                Sign in
              </Button>
              <Button kind="quiet" onClick={beginDevice}>
                On another device
              </Button>
            </>
          ) : (
            <Button
              onClick={async () => {
                if (!(await act(() => hub.signIns.logout({ server: name }), `Signed out of ${name}.`))) return;
                // The connection notices when it is used next.
                await hub.servers.refresh({ name }).catch(() => {});
                servers.reload();
              }}
            >
              Sign out
            </Button>
          )}
        </div>
      )}
      {stage.value.kind === "redirect" && <Redirect server={name} url={stage.value.url} paste={stage.value.paste} />}
      {stage.value.kind === "device" && <Device prompt={stage.value.prompt} />}
    </Panel>
  );
}

/** Where the authorization server sends the browser back to. */
function returnAddress(server: string): string {
  return `${location.origin}${pathTo("signed-in", server)}`;
}

/** The server chose this address: it is shown as a whole before it is opened. */
function Redirect({ server, url, paste }: { readonly server: string; readonly url: string; readonly paste: boolean }) {
  const pasted = useSignal("");
  return (
    <>
      <p>
        You sign in at <b class="break">{visible(hostOf(url))}</b>. Continue only if you know it.
      </p>
      <p class="code small">{visible(url)}</p>
      <div class="row row-wrap">
        <a class="button button-main" href={url} rel="noreferrer" {...(paste ? { target: "_blank" } : {})}>
          Continue <Icon name="out" size={12} />
        </a>
        <CopyButton text={url} what="the address" label="Copy" />
      </div>
      {paste && (
        <div class="row">
          <input
            class="input"
            aria-label="The address that the browser was sent to"
            placeholder="Paste the address that your browser was sent to at the end"
            value={pasted.value}
            onInput={(event) => (pasted.value = event.currentTarget.value)}
          />
          <Button
            kind="main"
            onClick={async () => {
              const given = pasted.value.trim();
              const search = URL.canParse(given) ? new URL(given).search : given;
              await act(() => hub.signIns.finish({ server, query: search, pasted: true }), `Signed in to ${server}.`);
              servers.reload();
            }}
          >
            Finish
          </Button>
        </div>
      )}
    </>
  );
}

function Device({ prompt }: { readonly prompt: DevicePrompt }) {
  return (
    <>
      <p>
        Open <b class="break">{visible(prompt.verificationUri)}</b> on any device and enter this code:
      </p>
      <div class="row">
        <span class="device-code mono">{visible(prompt.userCode)}</span>
        <CopyButton text={prompt.userCode} what="the code" />
      </div>
      <p class="muted">This page goes on by itself.</p>
    </>
  );
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
