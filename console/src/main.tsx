import { render } from "preact";
import { App } from "./app.tsx";
import { followHub } from "./hub/events.ts";
import { listenToKeys } from "./parts/keyboard.tsx";
import { applyTheme } from "./parts/theme.tsx";

applyTheme();
listenToKeys();
void followHub();
const root = document.getElementById("console");
if (root !== null) render(<App />, root);
