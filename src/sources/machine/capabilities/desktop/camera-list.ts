import type { Camera } from "../../camera/camera.ts";
import type { Capability } from "../../capability.ts";

export function cameraList(camera: Camera): Capability {
  return {
    name: "camera.list",
    title: "List the cameras",
    description: "Lists the cameras of this computer. Their `id` is what camera.snap and camera.clip take.",
    risk: "read",
    consent: "always",
    input: { type: "object", properties: {}, additionalProperties: false },
    output: {
      type: "object",
      properties: {
        devices: {
          type: "array",
          items: {
            type: "object",
            properties: {
              id: { type: "string" },
              name: { type: "string" },
              position: { type: "string" },
              deviceType: { type: "string" },
              isDefault: { type: "boolean" },
            },
            required: ["id", "name"],
          },
        },
      },
      required: ["devices"],
    },
    probe: () => camera.probeList(),
    run: async () => ({ payload: { devices: await camera.list() } }),
  };
}
