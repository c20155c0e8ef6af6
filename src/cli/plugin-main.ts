import { start } from "./start.ts";

// What `openclaw mcp-server` runs: the command line inside the plugin's package. It keeps no compiled code there, since
// OpenClaw copies that folder at every change of its configuration.
void start(process.argv.slice(2)).then((exitCode) => (process.exitCode = exitCode));
