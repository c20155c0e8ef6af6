import { isFault } from "../../../core/fault.ts";
import { visibleText } from "../../../core/text/peer-text.ts";
import { RateLimiter } from "../../../core/token-bucket.ts";
import { withDeadline } from "../../../core/wait.ts";
import { type Capability, CapabilityFault, invalidRequest } from "../capability.ts";
import type { Notifications } from "../notifications.ts";

export interface SystemNotifyOptions {
  readonly notifications: Notifications;
  /** Called for each notification that was shown. */
  onShown(shown: { readonly title: string; readonly body: string }): void;
  readonly clock?: () => number;
}

const urgencies = { passive: "low", active: "normal", timeSensitive: "critical" } as const;

export function systemNotify({ notifications, onShown, clock = Date.now }: SystemNotifyOptions): Capability {
  // 30 in a minute, and no more at once: the limiter holds twice its rate, so its clock goes slower.
  const limiter = new RateLimiter(15, () => clock() / 30);
  return {
    name: "system.notify",
    title: "Show a notification",
    description:
      "Shows a notification on the desktop of this computer. With buttons it waits until the user presses one and returns which.",
    risk: "write",
    consent: "always",
    input: {
      type: "object",
      properties: {
        title: { type: "string", maxLength: 256 },
        body: { type: "string", maxLength: 4096 },
        subtitle: { type: "string", maxLength: 256, description: "Shown before the body." },
        sound: { type: ["boolean", "string"], description: "Left to the desktop." },
        priority: { type: "string", enum: ["passive", "active", "timeSensitive"], default: "active" },
        delivery: { type: "string", enum: ["system", "overlay", "auto"], default: "auto" },
        buttons: {
          type: "array",
          items: { type: "string", minLength: 1, maxLength: 40 },
          maxItems: 3,
          description: "Labels of buttons.",
        },
        timeoutMs: {
          type: "integer",
          minimum: 1000,
          maximum: 600_000,
          default: 60_000,
          description: "How long to wait for a button.",
        },
      },
      additionalProperties: false,
    },
    output: {
      type: "object",
      properties: {
        ok: { type: "boolean" },
        sent: { type: "boolean" },
        id: { type: "integer" },
        button: { type: ["string", "null"], description: "The button that was pressed; null if none was." },
      },
      required: ["ok", "sent"],
    },
    probe: () => notifications.probe(),
    async run(args, { signal, progress }) {
      const {
        title = "",
        body = "",
        subtitle = "",
        priority = "active",
        buttons = [],
        timeoutMs = 60_000,
      } = args as NotifyArgs;
      const text = [subtitle, body].filter((part) => part !== "").join("\n");
      if (title === "" && text === "") throw invalidRequest("Give a title or a body.");
      if (!limiter.take())
        throw new CapabilityFault("RATE_LIMITED", "At most 30 notifications a minute are shown. Try again later.", {
          code: "rate-limited",
        });
      if (buttons.length > 0 && !(await notifications.hasButtons()))
        throw new CapabilityFault(
          "NOTIFICATIONS_UNAVAILABLE",
          "Notifications on this computer can't have buttons. Leave `buttons` out.",
        );
      const shown = { title: visibleText(title || "Clawport", 256), body: visibleText(text, 5000) };
      const notification = { ...shown, urgency: urgencies[priority], buttons };
      onShown(shown);
      if (buttons.length === 0) {
        const { id } = await notifications.show(notification, signal);
        return { payload: { ok: true, sent: true, ...(id !== undefined && { id }) } };
      }
      progress({ progress: 0, message: "Waiting for the user." });
      const { id, button } = await untilAnswered(timeoutMs, signal, (ended) => notifications.show(notification, ended));
      const label = button === undefined ? null : (buttons[button] ?? null);
      return { payload: { ok: true, sent: true, ...(id !== undefined && { id }), button: label } };
    },
  };
}

interface NotifyArgs {
  readonly title?: string;
  readonly body?: string;
  readonly subtitle?: string;
  readonly priority?: keyof typeof urgencies;
  readonly buttons?: readonly string[];
  readonly timeoutMs?: number;
}

/** No answer in time is an answer, too. */
async function untilAnswered<T extends object>(
  ms: number,
  signal: AbortSignal,
  show: (signal: AbortSignal) => Promise<T>,
): Promise<Partial<T>> {
  try {
    return await withDeadline(ms, signal, show);
  } catch (error) {
    if (!isFault(error, "timeout") || signal.aborted) throw error;
    return {};
  }
}
