import { render } from "preact";
import { App } from "./app.tsx";
import { followHub } from "./hub/events.ts";
import { notifyOfQuestions } from "./parts/notify.tsx";
import { listenToKeys } from "./parts/keyboard.tsx";
import { applyTheme } from "./parts/theme.tsx";

applyTheme();
listenToKeys();
notifyOfQuestions();
void followHub();
const root = document.getElementById("console");
if (root !== null) render(<App />, root);
