import { signal } from "@preact/signals";
import { Button } from "./button.tsx";

const storageKey = "clawport-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const chosen = signal(localStorage.getItem(storageKey));
const systemIsDark = signal(system.matches);
system.addEventListener("change", () => (systemIsDark.value = system.matches));

const isDark = (): boolean => (chosen.value === null ? systemIsDark.value : chosen.value === "dark");

/** Follows the system until the user chooses. */
export function applyTheme(): void {
  if (chosen.value !== null) document.documentElement.dataset["theme"] = chosen.value;
}

export function ThemeButton() {
  return (
    <Button
      local
      kind="quiet"
      icon={isDark() ? "sun" : "moon"}
      label={isDark() ? "Use the light theme" : "Use the dark theme"}
      onClick={() => {
        chosen.value = isDark() ? "light" : "dark";
        localStorage.setItem(storageKey, chosen.value);
        applyTheme();
      }}
    />
  );
}
