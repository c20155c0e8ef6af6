import { announce } from "./announce.ts";
import { createLimitServer } from "./limit-http-server.ts";

announce(createLimitServer());
