import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listenHere } from "../support/listen-here.ts";
import { pidsRunning } from "../support/running-commands.ts";
import { until } from "../support/until.ts";
import { canvasPrograms, type Screen, startScreen } from "./canvas/start-screen.ts";
import { pixelsOf } from "./desktop/look-at-media.ts";
import { type NodeClient, openClient } from "./desktop/open-client.ts";
import { type StartedNode, startNode } from "./start-node.ts";

const red = "<body style='margin:0;background:#ff0000'></body>";

describe.skipIf(canvasPrograms.includes(undefined))("the canvas", { timeout: 30_000 }, () => {
  const visits: string[] = [];
  const waiting: ServerResponse[] = [];
  const site = createServer((request, response) => {
    visits.push(`${request.method} ${request.url}`);
    if (request.url === "/never") return void waiting.push(response);
    if (request.url === "/moved") return void response.writeHead(302, { location: "/page" }).end();
    if (request.url === "/cookie") response.setHeader("set-cookie", ["a=1", "b=2"]);
    response.writeHead(request.url === "/missing" ? 404 : 200, { "content-type": "text/html" });
    response.end(`<title>Page</title><p>${request.method} ${request.url}</p>`);
  });
  let origin: string;
  let screen: Screen;
  let temporary: string;
  let node: StartedNode;
  let client: NodeClient;

  beforeAll(async () => {
    ({ origin } = await listenHere(site));
    screen = await startScreen();
    temporary = await mkdtemp(join(tmpdir(), "t-"));
    node = await startNode({
      env: { ...screen.env, TMPDIR: temporary },
      machine: {
        consent: { canvas: "always" },
        canvas: { sandbox: false, trustedOrigins: [origin, "https://example.com:443/"] },
      },
    });
    client = await openClient(node);
  });
  afterAll(async () => {
    await client?.[Symbol.asyncDispose]();
    await node?.[Symbol.asyncDispose]();
    await screen?.[Symbol.asyncDispose]();
    site.close();
    site.closeAllConnections();
  });

  const evaluate = async (script: string): Promise<unknown> =>
    (await client.call("canvas.eval", { script })).structured["result"];
  const profiles = async (): Promise<readonly string[]> => readdir(node.home.file("machine", "canvas"));

  test("says what it can do before it is opened", async () => {
    expect((await client.call("canvas.caps")).structured).toEqual({
      renderer: "chromium",
      eval: true,
      snapshot: true,
      navigate: true,
      headless: false,
      trustedOrigins: [origin, "https://example.com"],
      a2ui: { version: "0.8", introspect: true },
    });
    for (const name of ["canvas.hide", "canvas.snapshot", "canvas.a2ui.dump"])
      expect((await client.call(name)).text).toMatch(/^CANVAS_NOT_OPEN: /);
    expect((await client.call("canvas.eval", { script: "1" })).text).toMatch(/^CANVAS_NOT_OPEN: /);
    expect((await client.call("canvas.a2ui.reset")).structured).toEqual({ reset: true });
    expect(existsSync(node.home.file("machine", "canvas"))).toBe(false);
  });

  test("shows HTML in a window, and takes a picture of it", async () => {
    const steps: number[] = [];
    const place = { x: 100, y: 80, width: 400, height: 300 };
    const shown = await client.call(
      "canvas.present",
      { html: red, title: "A red page", ...place },
      { onProgress: (step) => steps.push(step) },
    );
    expect(shown.structured).toEqual({ presented: true, url: "http://canvas.localhost/1", windowed: true });
    expect(steps).toEqual([1, 2]);
    await until(async () => (await screen.windows()).includes("A red page"), "the title");
    await until(async () => String(await screen.colourAt(300, 280)) === "255,0,0", "the colour on the screen");
    const taken = await client.call("canvas.snapshot");
    expect(taken.blocks.map(({ type }) => type)).toEqual(["text", "image"]);
    expect(taken.blocks[1]).toMatchObject({ mimeType: "image/png" });
    const picture = await pixelsOf(taken.image);
    expect(taken.structured).toEqual({ format: "png", width: picture.width, height: picture.height });
    expect(picture.at(10, 10)).toEqual([255, 0, 0]);
    expect(taken.text.length).toBeLessThan(100);
  });

  test("pictures are scaled, of the whole page, or JPEG", async () => {
    const tall =
      "<body style='margin:0'><div style='height:2000px;background:#00f'></div><div style='height:100px;background:#0f0'></div>";
    await client.call("canvas.present", { html: tall, width: 800, height: 600 });
    const small = await client.call("canvas.snapshot", { format: "jpg", maxWidth: 200, quality: 90 });
    const view = await pixelsOf(small.image);
    expect(small.structured).toEqual({ format: "jpeg", width: view.width, height: view.height });
    expect(view.width).toBe(200);
    const whole = await pixelsOf((await client.call("canvas.snapshot", { fullPage: true })).image);
    expect(whole.height).toBe(2100);
    expect(whole.at(10, 2050)).toEqual([0, 255, 0]);
  });

  test("goes to pages of trusted origins only, and says where it ended", async () => {
    expect((await client.call("canvas.navigate", { url: `${origin}/moved` })).structured).toEqual({
      navigated: true,
      url: `${origin}/page`,
      opener: "canvas",
      status: 200,
    });
    expect(visits).toContain("GET /page");
    expect((await client.call("canvas.navigate", { url: `${origin}/missing` })).structured).toMatchObject({
      status: 404,
    });
    const posted = "fetch('/form', { method: 'POST', body: 'x'.repeat(300000) }).then((answer) => answer.text())";
    expect(await evaluate(posted)).toContain("POST /form");
    await client.call("canvas.navigate", { url: `${origin}/cookie` });
    expect(await evaluate("document.cookie")).toBe("a=1; b=2");
    const others = [
      origin.replace("127.0.0.1", "localhost"), origin.replace("http:", "https:"), "http://example.com/", "https://example.com.evil.test/",
      `http://127.0.0.1:1@${new URL(origin).host}/`, "file:///etc/passwd", "data:text/html,hi", "javascript:alert(1)", "chrome://version",
      "about:blank", "view-source:http://example.com", "blob:http://x/1",
    ]; // prettier-ignore
    for (const url of others) {
      expect((await client.call("canvas.navigate", { url })).text).toMatch(/^CANVAS_NAV_BLOCKED: /);
      expect((await client.call("canvas.present", { url })).text).toMatch(/^CANVAS_NAV_BLOCKED: /);
    }
    expect((await client.call("canvas.navigate", { url: "nowhere" })).text).toMatch(/^INVALID_REQUEST: /);
  });

  test("a page that can't be loaded is an error", async () => {
    const closed = await listenHere(createServer());
    await closed[Symbol.asyncDispose]();
    await using other = await startNode({
      env: {},
      machine: { consent: { canvas: "always" }, canvas: { sandbox: false, trustedOrigins: [closed.origin] } },
    });
    expect((await other.call("canvas.navigate", { url: closed.origin })).structuredContent).toMatchObject({
      status: 502,
    });
    expect((await other.call("canvas.caps")).structuredContent).toMatchObject({ headless: true });
    expect((await other.call("canvas.present", { html: red })).structuredContent).toMatchObject({ windowed: false });
    const { content } = await other.call("canvas.snapshot");
    const [, image] = content;
    expect((await pixelsOf(image?.type === "image" ? image.data : "")).at(10, 10)).toEqual([255, 0, 0]);
  });

  test("runs scripts, and returns what they return", async () => {
    await client.call("canvas.present", { html: "<p id='p'>Hello</p>" });
    expect(await evaluate("document.querySelector('p').textContent")).toBe("Hello");
    expect(await evaluate("const a = await Promise.resolve([1, { b: null }]); a")).toEqual([1, { b: null }]);
    expect(await evaluate("Promise.resolve(7)")).toBe(7);
    expect(await evaluate("undefined")).toBe(null);
    expect((await client.call("canvas.eval", { javaScript: "1 + 1" })).structured).toEqual({ result: 2 });
    const texts = {
      "throw new Error('no')": "CANVAS_EVAL_FAILED: Error: no",
      "Promise.reject('later')": "CANVAS_EVAL_FAILED: later",
      "(": "CANVAS_EVAL_FAILED: SyntaxError",
      "'x'.repeat(2000000)": "PAYLOAD_TOO_LARGE",
      "alert('blocks'), 1": '{"result":1}',
    };
    for (const [script, text] of Object.entries(texts))
      expect((await client.call("canvas.eval", { script })).text).toContain(text);
  });

  test("a script that takes too long is ended; a page that hangs is closed", async () => {
    await client.call("canvas.present", { html: red });
    for (const script of ["for (;;);", "new Promise(() => {})"])
      expect((await client.call("canvas.eval", { script, timeoutMs: 300 })).text).toMatch(
        /^CANVAS_EVAL_TIMEOUT: .* 300 ms\.$/,
      );
    expect(await evaluate("1")).toBe(1);
    await evaluate("setInterval(() => { for (;;); }, 0)");
    const stuck = await client.call("canvas.eval", { script: "1", timeoutMs: 300 });
    expect(stuck.text).toMatch(/^CANVAS_EVAL_TIMEOUT: .*the canvas was closed\.$/);
    expect((await client.call("canvas.snapshot")).text).toMatch(/^CANVAS_NOT_OPEN: /);
    await until(async () => (await profiles()).length === 0, "no profile");
  });

  test("a call that is cancelled stops, and the canvas goes on", async () => {
    await client.call("canvas.present", { html: red });
    const cancel = new AbortController();
    const call = client.call("canvas.navigate", { url: `${origin}/never` }, { signal: cancel.signal });
    await until(() => waiting.length > 0, "the request");
    const [response] = waiting;
    cancel.abort();
    await expect(call).rejects.toThrow(/abort/i);
    await once(response!, "close");
    expect((await client.call("canvas.navigate", { url: `${origin}/page` })).structured).toMatchObject({ status: 200 });
  });

  test("shows A2UI, and returns what the user does with it", async () => {
    const components = [
      { id: "root", component: { Column: { children: { explicitList: ["title", "people", "name", "secret", "send"] } } } },
      { id: "title", component: { Text: { usageHint: "h1", text: { path: "/title" } } } },
      { id: "people", component: { List: { children: { template: { componentId: "person", dataBinding: "/people" } } } } },
      { id: "person", component: { Text: { text: { path: "first" } } } },
      { id: "name", component: { TextField: { label: { literalString: "Name" }, text: { path: "/form/name" } } } },
      { id: "secret", component: { TextField: { textFieldType: "obscured", label: { literalString: "Key" }, text: { path: "/form/key" } } } },
      { id: "send", component: { Button: { child: "label", action: { name: "send", context: [{ key: "who", value: { path: "/form/name" } }, { key: "key", value: { path: "/form/key" } }] } } } },
      { id: "label", component: { Text: { text: { literalString: "<b>Send</b>" } } } },
    ]; // prettier-ignore
    const person = (first: string) => ({ key: first, valueMap: [{ key: "first", valueString: first }] });
    const contents = [
      { key: "title", valueString: "Hello" },
      { key: "people", valueMap: [person("Ada"), person("Grace")] },
    ];
    const lines = (...messages: object[]): string => messages.map((message) => JSON.stringify(message)).join("\n");
    const pushed = await client.call("canvas.a2ui.push", {
      jsonl: lines(
        { surfaceUpdate: { surfaceId: "main", components } },
        { dataModelUpdate: { surfaceId: "main", contents } },
        { beginRendering: { surfaceId: "main", root: "root" } },
      ),
    });
    expect(pushed.structured).toEqual({ pushed: true, messages: 3, surfaces: ["main"] });
    expect(await evaluate("document.body.innerText")).toMatch(/^Hello\s+Ada\s+Grace\s+Name\s+Key\s+<b>Send<\/b>$/);

    await evaluate(`for (const [index, text] of ["Bob", "hunter2"].entries()) {
      const field = document.querySelectorAll("input")[index];
      field.value = text;
      field.dispatchEvent(new Event("input"));
    }
    document.querySelector("button").click()`);
    const { surfaces, actions } = (await client.call("canvas.a2ui.dump")).structured;
    expect(actions).toMatchObject([
      { name: "send", surfaceId: "main", sourceComponentId: "send", context: { who: "Bob", key: "(hidden)" } },
    ]);
    expect(surfaces).toMatchObject({ main: { root: "root", dataModel: { form: { name: "Bob", key: "(hidden)" } } } });

    const file = join(await mkdtemp(join(tmpdir(), "a2ui-")), "update.jsonl");
    await writeFile(
      file,
      lines({ dataModelUpdate: { surfaceId: "main", path: "/", contents: [{ key: "title", valueString: "Again" }] } }),
    );
    expect((await client.call("canvas.a2ui.pushJSONL", { jsonlPath: file })).structured).toMatchObject({
      pushed: true,
    });
    expect(await evaluate("[document.querySelector('h1').innerText, document.querySelector('input').value]")).toEqual([
      "Again",
      "Bob",
    ]);

    expect(
      (await client.call("canvas.a2ui.push", { jsonl: `${lines({ deleteSurface: { surfaceId: "x" } })}\nnonsense` }))
        .text,
    ).toBe("INVALID_REQUEST: line 2: is not JSON.");
    expect((await client.call("canvas.a2ui.push", { jsonl: '{"createSurface":{}}' })).text).toMatch(
      /^A2UI_VERSION_UNSUPPORTED: line 1/,
    );
    for (const jsonlPath of ["/etc/passwd", "/no/such", join(tmpdir(), "..", "..", "etc", "hostname")])
      expect((await client.call("canvas.a2ui.push", { jsonlPath })).text).toMatch(
        /^INVALID_REQUEST: .*temporary files\.$/,
      );

    await client.call("canvas.a2ui.reset");
    expect((await client.call("canvas.a2ui.dump")).structured).toEqual({ surfaces: {}, actions: [] });
    expect(await evaluate("document.body.innerText")).toBe("");
  });

  test("hide hides the window, and present shows it again with its state", async () => {
    await client.call("canvas.present", { html: red, title: "To be hidden", x: 100, y: 80, width: 400, height: 300 });
    const isRed = async () => String(await screen.colourAt(300, 280)) === "255,0,0";
    await until(isRed, "the colour on the screen");
    await evaluate("void (window.count = 41)");
    expect((await client.call("canvas.hide")).structured).toEqual({ hidden: true });
    await until(async () => !(await isRed()), "the window to go");
    expect(await evaluate("++window.count")).toBe(42);
    expect((await pixelsOf((await client.call("canvas.snapshot")).image)).at(10, 10)).toEqual([255, 0, 0]);
    expect((await client.call("canvas.hide")).structured).toEqual({ hidden: true });
    expect((await client.call("canvas.present")).structured).toMatchObject({ presented: true, windowed: true });
    await until(isRed, "the window to come back");
    expect(await evaluate("window.count")).toBe(42);
  });

  test("a page that is loaded in a hidden canvas does not show it", async () => {
    await client.call("canvas.present", { html: red, x: 100, y: 80, width: 400, height: 300 });
    const isRed = async () => String(await screen.colourAt(300, 280)) === "255,0,0";
    await until(isRed, "the colour on the screen");
    await client.call("canvas.hide");
    await until(async () => !(await isRed()), "the window to go");
    expect((await client.call("canvas.navigate", { url: `${origin}/page` })).structured).toMatchObject({ status: 200 });
    const isWhite = async () => String(await screen.colourAt(300, 280)) === "255,255,255";
    expect(await isWhite()).toBe(false);
    await client.call("canvas.present");
    await until(isWhite, "the window");
  });

  test("its pictures are among the latest pictures, for their caller", async () => {
    await client.call("canvas.present", { html: red });
    const taken = await client.call("canvas.snapshot");
    const { resources } = await client.client.listResources();
    const found = resources.find(({ title }) => title === "The canvas");
    expect(found?.uri).toMatch(/^machine:\/\/pictures\//);
    const { contents } = await client.client.readResource({ uri: found!.uri });
    expect(contents[0]).toMatchObject({ mimeType: "image/png", blob: taken.image });
  });

  test("the user can close the window, which leaves nothing behind, and it opens again", async () => {
    await client.call("canvas.present", { html: red, title: "Mine" });
    await until(async () => (await screen.windows()).includes("Mine"), "the window");
    const [profile = ""] = await profiles();
    const folder = `--user-data-dir=${node.home.file("machine", "canvas", profile)}`;
    expect(pidsRunning(folder).length).toBeGreaterThan(0);
    await screen.closeWindow("Mine");
    const left = async () => [...pidsRunning(folder), ...(await profiles()), ...(await readdir(temporary))];
    await until(async () => (await left()).length === 0, "the end of it all");
    await until(async () => (await client.call("canvas.snapshot")).text.startsWith("CANVAS_NOT_OPEN"), "the end");
    expect((await client.call("canvas.present", { html: red })).structured).toMatchObject({ presented: true });
  });

  test("two calls at once use one window, and hide does not wait for a call", async () => {
    const both = await Promise.all([
      client.call("canvas.present", { html: red }),
      client.call("canvas.navigate", { url: `${origin}/page` }),
    ]);
    expect(both.map(({ isError }) => isError)).toEqual([false, false]);
    expect(await screen.windows()).toHaveLength(1);
    waiting.length = 0;
    const call = client.call("canvas.navigate", { url: `${origin}/never` });
    await until(() => waiting.length > 0, "the request");
    expect((await client.call("canvas.hide")).structured).toEqual({ hidden: true });
    waiting.pop()?.end("Here at last.");
    expect((await call).structured).toMatchObject({ navigated: true });
  });
});

describe.skipIf(canvasPrograms.includes(undefined))("without a browser in use", () => {
  test("scripts need consent, and nothing pretends to be read-only", async () => {
    await using node = await startNode({ machine: { canvas: { sandbox: false } } });
    expect(await node.text("canvas.eval", { script: "1" })).toContain("needs the user's consent");
    const { result } = await node.rpc("tools/list");
    const tools = result?.["tools"] as { name: string; annotations: { readOnlyHint: boolean } }[];
    const reading = tools.filter(({ name, annotations }) => name.startsWith("canvas.") && annotations.readOnlyHint);
    expect(reading.map(({ name }) => name)).toEqual(["canvas.a2ui.dump", "canvas.caps", "canvas.snapshot"]);
  });

  test("what is missing is said", async () => {
    await using node = await startNode({ machine: { canvas: { browser: "/no/such/browser" } } });
    expect(await node.text("canvas.present", { html: red })).toBe(
      "CANVAS_UNAVAILABLE: canvas.present can't be used: /no/such/browser was not found; correct `machine.canvas.browser`.",
    );
    expect((await node.call("canvas.caps")).structuredContent).toMatchObject({ renderer: "none", eval: false });
    await expect(startNode({ machine: { canvas: { trustedOrigins: ["https://example.com/path"] } } })).rejects.toThrow(
      "trustedOrigins",
    );
  });

  test.runIf(process.getuid?.() === 0)("as root, the sandbox must be given up by the user", async () => {
    await using node = await startNode();
    expect(await node.text("canvas.present", { html: red })).toMatch(
      /^CANVAS_UNAVAILABLE: .* no sandbox as root; run the node as an ordinary user/,
    );
  });
});
