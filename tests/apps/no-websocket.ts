import { openApp } from "../../src/app/index.ts";

/** An app in an environment without a WebSocket of its own, as Node 20 is: prints whether it got connected. */
const [, , proxyUrl = "", appToken = ""] = process.argv;
const app = await openApp({
  proxyUrl,
  appToken,
  tools: [{ name: "greet", run: () => "hello" }],
  onConnected(isConnected) {
    console.log(`${typeof WebSocket}, ${isConnected ? "connected" : "disconnected"}`);
    if (isConnected) void app.close();
  },
});
