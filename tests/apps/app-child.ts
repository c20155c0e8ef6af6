import { WebSocket } from "ws";

/** An app in a process of its own: answers `fast` at once and `slow` never, and prints each call. */
const ws = new WebSocket(String(process.argv[2]));
ws.on("open", () => console.log("open"));
ws.on("message", (data: Buffer) => {
  const { type, request_id, tool_name } = JSON.parse(data.toString());
  if (type === "ping") ws.send('{"type":"pong"}');
  if (type !== "invoke_tool") return;
  console.log(`run ${tool_name}`);
  if (tool_name === "fast") ws.send(JSON.stringify({ type: "invoke_result", request_id, ok: true, content: "done" }));
});
