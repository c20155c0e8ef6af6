import { chromium, type Browser } from "playwright-core";

/** The system's Chromium with a new profile, in which the attacker's host names resolve to this machine. */
export async function openBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    headless: true,
    chromiumSandbox: false,
    args: [
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      // The browser's own protection of the local network is not what these tests are about.
      "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
      "--host-resolver-rules=MAP evil.test 127.0.0.1, MAP other.test 127.0.0.1",
    ],
  });
}
