/** Whether a test may be skipped. CI on Linux has everything that the tests need, so a skip there is a mistake. */
export function areSkipsAllowed(): boolean {
  return !process.env.CI || process.platform !== "linux";
}
