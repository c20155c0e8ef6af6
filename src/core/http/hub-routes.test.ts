import { expect, test } from "vitest";
import { hubAppsUrl, hubControlUrl, hubMcpUrl, hubRelayUrl, hubTerminalUrl, parseHubRoute } from "./hub-routes.ts";

const origin = "http://127.0.0.1:8765";

test.each([
  [hubMcpUrl(origin), { kind: "whole" }],
  [hubRelayUrl(origin, undefined), { kind: "relay", only: undefined }],
  [hubRelayUrl(origin, ["a", "b c"]), { kind: "relay", only: ["a", "b c"] }],
  [hubAppsUrl(origin), { kind: "apps" }],
  [hubTerminalUrl(origin), { kind: "terminal" }],
  [hubControlUrl(origin, "signIns.list"), { kind: "control", verb: "signIns.list" }],
])("the hub understands the address %s of its clients", (url, route) => {
  const { pathname, search } = new URL(url);
  expect(parseHubRoute(pathname + search)).toEqual(route);
});

test.each([
  ["/", { kind: "root" }],
  ["/mcp/", { kind: "whole" }],
  ["/mcp?x=1", { kind: "whole" }],
  ["/mcp/my%20server/", { kind: "source", source: "my server" }],
  ["/metrics", { kind: "metrics" }],
  ["/mcp/%zz", { kind: "unknown" }],
  ["/mcp/a/b", { kind: "unknown" }],
  ["/control/", { kind: "unknown" }],
  ["/control/reload", { kind: "unknown" }],
  ["/control/configuration.", { kind: "unknown" }],
  ["/control/configuration.reload.now", { kind: "unknown" }],
  ["/other", { kind: "unknown" }],
])("the path %s is read as %j", (url, route) => {
  expect(parseHubRoute(url)).toEqual(route);
});
