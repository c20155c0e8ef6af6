import { signal } from "@preact/signals";
import { onHubEvent } from "../hub/events.ts";
import { countWaiting } from "../hub/still-waiting.ts";
import { Button } from "./button.tsx";
import type { ApprovalsList } from "../../../src/hub/control/approvals.ts";

const at = "clawport-notify";
const isOn = signal(localStorage.getItem(at) === "on" && Notification.permission === "granted");

/** Whether the browser tells when someone asks and the page is not in view. The browser asks for permission once. */
export function NotifyButton() {
  return (
    <span class="tabs-end">
      <Button
        local
        kind="quiet"
        pressed={isOn.value}
        onClick={async () => {
          isOn.value = !isOn.value && (await Notification.requestPermission()) === "granted";
          localStorage.setItem(at, isOn.value ? "on" : "off");
        }}
      >
        {isOn.value ? "Notifies you" : "Notify me"}
      </Button>
    </span>
  );
}

/** Tells no more than that something waits: what it is may be a secret, and the screen locked. */
export function notifyOfQuestions(): void {
  let known: number | undefined;
  onHubEvent((event) => {
    if (event.type !== "approvals") return;
    const count = countWaiting(event as unknown as ApprovalsList);
    const isMore = known !== undefined && count > known;
    known = count;
    if (!isMore || !isOn.value || document.visibilityState === "visible") return;
    const text = count === 1 ? "A call waits for your approval." : `${count} calls wait for your approval.`;
    const shown = new Notification("Clawport", { body: text, tag: "approvals" });
    shown.addEventListener("click", () => (window.focus(), shown.close()));
  });
}
