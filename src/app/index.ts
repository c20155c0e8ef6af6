/** For apps that offer tools through a proxy. Runs in Node and in browsers, without dependencies. */
export { type App, type AppOptions, type AppSession, openApp } from "./app.ts";
export type { AppTool, ToolRun } from "./app-tool.ts";
