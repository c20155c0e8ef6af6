/** For apps whose tools are to be callable through a proxy; runs in Node and in browsers, and needs nothing else. */
export { type App, type AppOptions, type AppSession, openApp } from "./app.ts";
export type { AppTool, ToolRun } from "./app-tool.ts";
