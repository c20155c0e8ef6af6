import { expect, test } from "vitest";
import { grantedPaths, missingServices } from "./session-services.ts";

const env = {
  DISPLAY: ":0",
  XAUTHORITY: "/home/ada/.Xauthority",
  DBUS_SESSION_BUS_ADDRESS: "unix:path=/run/user/1/bus",
  SSH_AUTH_SOCK: "/run/user/1/agent",
  DOCKER_HOST: "unix:///run/docker.sock",
};
const find = (line: string, more: object = {}) => {
  const [command = "", ...args] = line.split(" ");
  return missingServices({ command, args, given: {}, ...more }, env).map(({ service }) => service);
};

test.each<[string, object, readonly string[]]>([
  ["npx -y mcp-clipboard", {}, ["display"]],
  ["npx -y @playwright/mcp", {}, ["display"]],
  ["npx -y @playwright/mcp --headless", {}, []],
  ["npx -y mcp-notify", {}, ["session bus"]],
  ["uvx mcp-ssh", {}, ["ssh-agent"]],
  ["npx -y mcp-server-docker", {}, ["container engine"]],
  ["docker run -i mcp/time", {}, []],
  ["npx -y some-server", {}, []],
  ["some-server", { said: "Error: Can't open display: " }, ["display"]],
  ["some-server", { said: "Cannot connect to the Docker daemon" }, ["container engine"]],
  ["some-server", { sockets: ["/run/user/1/bus", "/tmp/.X11-unix/X0"] }, ["display", "session bus"]],
  ["some-server", { sockets: ["/run/user/1/agent"], given: { SSH_AUTH_SOCK: "/x" } }, []],
])("%s with %j needs %j", (line, more, services) => {
  expect(find(line, more)).toEqual(services);
});

test("what the user does not have is not offered", () => {
  expect(missingServices({ command: "mcp-clipboard", args: [], given: {} }, {})).toEqual([]);
});

test("variables give what they name", () => {
  expect(grantedPaths({ ...env, API_KEY: "/etc/x" })).toEqual([
    "/tmp/.X11-unix/X0",
    "/home/ada/.Xauthority",
    "/run/user/1/bus",
    "/run/user/1/agent",
    "/run/docker.sock",
  ]);
});
