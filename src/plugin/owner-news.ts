import type { Log } from "../core/log.ts";
import type { Engine } from "../hub/engine/engine.ts";
import { withChatCommands } from "../hub/presentation/chat-commands.ts";
import type { SignInEvent } from "../hub/sign-in/step-up.ts";
import type { OwnerChat } from "./owner-chat.ts";

export interface OwnerNewsOptions {
  engine(): Engine;
  readonly ownerChat: Pick<OwnerChat, "post">;
  readonly log: Log;
}

/** Posts what happened to a sign-in. One that was lost is begun anew, so that the owner only has to open the address. */
export function createOwnerNews({ engine, ownerChat, log }: OwnerNewsOptions): (event: SignInEvent) => void {
  return (event) => {
    const telling = event.kind === "lost" ? signInAgain(event.server) : tellEnd(event);
    telling.catch((error: unknown) => log.warn("could not tell the owner about a sign-in", { error }));
  };

  function post(text: string): void {
    ownerChat.post(withChatCommands(text));
  }

  async function signInAgain(server: string): Promise<void> {
    const { openLocalControl } = await import("../hub/control/local-control.ts");
    const { runAuth } = await import("../hub/presentation/auth.ts");
    const context = { control: await openLocalControl(engine()), prefix: "/mcp", now: Date.now };
    const ui = { show: () => {}, goesOn: { report: post }, signal: new AbortController().signal };
    const lost = `The sign-in to ${server} is no longer valid.`;
    try {
      const { text } = await runAuth(context, ui, { server });
      post(`${lost} ${text}`);
    } catch {
      post(`${lost} Run \`/mcp auth ${server}\` to sign in again.`);
    }
  }

  async function tellEnd({ server, problem }: Extract<SignInEvent, { kind: "ended" }>): Promise<void> {
    if (problem !== undefined) return post(`Not signed in to ${server}: ${problem}`);
    const { servers } = await engine().servers();
    await servers.connect(server).catch(() => undefined);
    post(`Signed in to ${server}. What failed before can be tried again.`);
  }
}
