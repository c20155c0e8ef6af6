const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The JSON of an `echo` call's params with this many characters of data: letters as base64 has them, nothing to escape. */
export function echoParams(size: number, tool = "echo"): string {
  const block = Array.from({ length: 4096 }, (_, index) => alphabet[(index * 7 + (index >> 3)) % 64]).join("");
  const data = block.repeat(Math.ceil(size / block.length)).slice(0, size);
  return `{"name":"${tool}","arguments":{"data":"${data}"}}`;
}

export const sizes = [
  { bytes: 100, label: "100 B" },
  { bytes: 100 * 1024, label: "100 KB" },
  { bytes: 1024 * 1024, label: "1 MB" },
] as const;
