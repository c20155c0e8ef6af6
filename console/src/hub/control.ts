import { createVerbClient } from "../../../src/hub/control/verb-client.ts";
import { askHub } from "./ask-hub.ts";

/** What the page can ask of the hub: the verbs that the command line uses, too. */
export const hub = createVerbClient(askHub);
