/**
 * A small app with a web page and two tools. In a checkout, run `npx clawport proxy`, then in another terminal
 * `npx node examples/app/notes.ts`. Open the page, and connect an MCP client to the printed address with the printed
 * token: the notes that it adds appear on the page. `OPENCLAW_PROXY_SERVER_URL` is the address of the proxy,
 * `OPENCLAW_PROXY_APP_TOKEN` its app token, `PORT` the port of the page.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type AppTool, openApp } from "clawport/app";

const { OPENCLAW_PROXY_SERVER_URL: proxyUrl, OPENCLAW_PROXY_APP_TOKEN: appToken, PORT: port = "8080" } = process.env;
const notes: string[] = [];

const tools: readonly AppTool[] = [
  {
    name: "add_note",
    description: "Adds a note to the page.",
    inputSchema: { type: "object", properties: { text: { type: "string", maxLength: 500 } }, required: ["text"] },
    run({ text }: { text: string }) {
      notes.push(text);
      return { notes: notes.length };
    },
  },
  {
    name: "list_notes",
    description: "Lists the notes.",
    annotations: { readOnlyHint: true },
    run: () => ({ notes }),
  },
];

const app = await openApp({
  proxyUrl: proxyUrl || "http://127.0.0.1:8000",
  ...(appToken ? { appToken } : {}),
  deviceName: "notes",
  tools,
  onSession: ({ mcpUrl, mcpToken }) => console.log(`MCP_URL=${mcpUrl}\nMCP_TOKEN=${mcpToken}`),
}).catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});

const page = `<!doctype html><meta charset="utf-8"><title>Notes</title><h1>Notes</h1><ul></ul><script>
setInterval(async () => {
  const list = document.querySelector("ul");
  list.replaceChildren(...(await (await fetch("/notes")).json()).map((text) => {
    const item = document.createElement("li");
    item.textContent = text;
    return item;
  }));
}, 1000);
</script>`;

const server = createServer((request, response) => {
  const isData = request.url === "/notes";
  response.writeHead(200, { "content-type": isData ? "application/json" : "text/html" });
  response.end(isData ? JSON.stringify(notes) : page);
}).listen(Number(port), "127.0.0.1", () => {
  console.log(`The page is at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

// A second copy needs a port of its own, and must not leave its tools behind.
server.once("error", async (error) => {
  console.error(`The page can't be served: ${error.message}. Choose another port with PORT=8081.`);
  await app.close();
  process.exit(1);
});

process.once("SIGINT", () => {
  server.close();
  void app.close();
});
