import { isFault } from "../core/fault.ts";
import { type HttpDoor, type HttpDoorOptions, openHttpDoor } from "../doors/mcp/http-door.ts";

const portsToTry = 50;
const highestPort = 65_535;

/** Opens the door at the wanted port or, where a stranger holds it, at the next free one. */
export async function openDoor(options: HttpDoorOptions): Promise<HttpDoor> {
  const last = Math.min(options.port + portsToTry, highestPort);
  for (let port = options.port; ; port++) {
    try {
      return await openHttpDoor({ ...options, port });
    } catch (error) {
      if (!isFault(error, "conflict") || port === 0 || port >= last) throw error;
    }
  }
}
