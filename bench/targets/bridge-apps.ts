import { WebSocket } from "ws";

/**
 * `bridge-apps <limit|ours> <port> <count> <token>`: so many apps in one process, each with the same tools, echoing what
 * they are called with. One line names the paths of their sessions when all are connected.
 */
const [, , dialect, port, count, token] = process.argv;
const base = `127.0.0.1:${port}`;
const toolNames = ["echo", "echo1", "echo2", "echo3", "echo4"];
const schema = { type: "object", properties: { data: { type: "string" } }, required: ["data"] };
const options = { perMessageDeflate: false, maxPayload: 64 * 1024 * 1024 };
const connect = dialect === "limit" ? connectToLimit : connectToProxy;
const paths: string[] = [];

let next = 0;
await Promise.all(
  Array.from({ length: 16 }, async () => {
    for (let at = next++; at < Number(count); at = next++) paths[at] = await connect(at);
  }),
);
process.stdout.write(`${JSON.stringify({ paths })}\n`);

function connectToLimit(at: number): Promise<string> {
  const ws = new WebSocket(`ws://${base}/app?session=s${at}`, options);
  const tools = toolNames.map((name) => ({ name, description: "Returns data.", inputSchema: schema }));
  return new Promise((resolve, reject) => {
    ws.on("open", () => ws.send(JSON.stringify({ tools })));
    ws.on("error", reject);
    ws.on("message", (data: Buffer) => {
      const message = JSON.parse(data.toString());
      if (message.registered) return resolve(`/v1/mcp/s${at}`);
      const result = { content: [{ type: "text", text: message.arguments.data }] };
      ws.send(JSON.stringify({ id: message.id, result }));
    });
  });
}

async function connectToProxy(): Promise<string> {
  const authorization = `Bearer ${token}`;
  const tools = toolNames.map((name) => ({ name, description: "Returns data.", input_schema: schema }));
  const response = await fetch(`http://${base}/v1/chat/sessions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization },
    body: JSON.stringify({ device_id: "bench", tools }),
  });
  const session = (await response.json()) as { mcpSessionId: string; bridge_url: string };
  const ws = new WebSocket(session.bridge_url, { ...options, headers: { authorization } });
  ws.on("message", (data: Buffer) => {
    const { type, request_id, arguments: args } = JSON.parse(data.toString());
    if (type === "ping") return ws.send('{"type":"pong"}');
    const content = [{ type: "text", text: args.data }];
    ws.send(JSON.stringify({ type: "invoke_result", request_id, ok: true, content }));
  });
  await new Promise((resolve, reject) => void ws.once("open", resolve).once("error", reject));
  return `/v1/mcp/${session.mcpSessionId}`;
}
