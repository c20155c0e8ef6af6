import { chromium, type Browser } from "playwright-core";

/** The system's Chromium, a new profile, and a name of an attacker's that leads to this machine. */
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
      // What the browser does of its own accord against calls into the local network is not what is tested here.
      "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
      "--host-resolver-rules=MAP evil.test 127.0.0.1, MAP other.test 127.0.0.1",
    ],
  });
}
