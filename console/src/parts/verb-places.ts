/** Where on the page a verb of the control table is used, in the words of its user. */
export interface VerbPlace {
  readonly words: string;
  /** Other words that people use for it. */
  readonly also?: string;
  /** The address of the page; for `server`, the page of each server. */
  readonly to: readonly string[] | "server";
}

/** Every verb that changes something and is a thing of its own. What runs at once has a command in `commands.ts`. */
export const verbPlaces: Readonly<Record<string, VerbPlace>> = {
  "servers.add": { words: "Add a server", also: "new connect mcp", to: ["servers", "+add"] },
  "servers.import": { words: "Import servers from other clients", also: "take over", to: ["servers", "+import"] },
  "servers.connect": { words: "Reconnect", also: "connect restart", to: "server" },
  "servers.disconnect": { words: "Disconnect", also: "stop close", to: "server" },
  "servers.refresh": { words: "Refresh the lists of", also: "reload tools", to: "server" },
  "servers.enable": { words: "Switch on or off:", also: "enable disable", to: "server" },
  "servers.remove": { words: "Remove", also: "delete uninstall", to: "server" },
  "signIns.begin": { words: "Sign in to", also: "login oauth authorize", to: "server" },
  "signIns.logout": { words: "Sign out of", also: "logout", to: "server" },
  "pins.forget": { words: "Pin anew the definitions of", also: "trust", to: "server" },
  "tokens.add": { words: "Add a token", also: "new key access", to: ["settings", "tokens"] },
  "tokens.remove": { words: "Remove a token", also: "delete revoke key", to: ["settings", "tokens"] },
  "tokens.reset": { words: "Reset the main token", also: "replace rotate key", to: ["settings", "tokens"] },
  "machine.revealToken": { words: "Show the main token", also: "copy key", to: ["settings", "tokens"] },
  "approvals.approve": { words: "Answer calls that wait", also: "approve allow deny", to: ["approvals"] },
  "approvals.accept": { words: "Accept changed definitions", also: "approve diff", to: ["approvals"] },
  "approvals.reject": { words: "Reject changed definitions", also: "block diff", to: ["approvals"] },
  "approvals.forget": { words: "Forget a remembered answer", also: "always never", to: ["approvals", "remembered"] },
  "rules.save": { words: "Edit the rules", also: "policy allow ask deny", to: ["approvals", "rules"] },
  "conversations.remove": { words: "Delete a conversation", also: "session agent", to: ["agent"] },
  "configuration.write": { words: "Edit the configuration", also: "settings file", to: ["settings", "configuration"] },
  "configuration.record": { words: "Record arguments in the audit", also: "log", to: ["welcome"] },
  "configuration.reload": { words: "Apply the configuration file again", also: "reload", to: ["settings"] },
  "machine.set": { words: "Switch this computer's tools on or off", also: "enable machine node", to: ["machine"] },
  "machine.consent": { words: "Change what needs consent", also: "capability permission", to: ["machine"] },
  "machine.forget": { words: "Forget a consent", also: "capability permission", to: ["machine"] },
  "machine.pair": { words: "Pair with an OpenClaw gateway", also: "connect node", to: ["machine"] },
  "clients.install": {
    words: "Connect a client to the hub",
    also: "install claude cursor",
    to: ["settings", "clients"],
  },
  "clients.uninstall": { words: "Disconnect a client", also: "uninstall remove", to: ["settings", "clients"] },
  "presence.pause": { words: "Pause all calls for 15 minutes", also: "stop refuse halt", to: [] },
  "presence.resume": { words: "Resume calls", also: "end pause continue", to: [] },
};

/** Steps within another act, which the page takes by itself, and what is for other programs. */
export const innerVerbs: ReadonlySet<string> = new Set([
  "signIns.finish",
  "signIns.cancel",
  "signIns.beginDevice",
  "signIns.awaitDevice",
  "signIns.cancelDevice",
  "approvals.show",
  "approvals.hold",
  "presence.stopRecording",
]);
