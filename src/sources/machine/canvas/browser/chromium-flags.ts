/** How the window is to be. */
export interface WindowPlace {
  readonly width: number;
  readonly height: number;
  readonly x?: number | undefined;
  readonly y?: number | undefined;
}

export interface FlagOptions extends WindowPlace {
  readonly profile: string;
  readonly proxyPort: number;
  /** Without a display, pages are drawn in memory. */
  readonly headless: boolean;
  readonly sandbox: boolean;
}

/** Parts of Chromium that talk to the network on their own, or around the proxy. */
const disabledFeatures = [
  "AsyncDns",
  "AutofillServerCommunication",
  "BackForwardCache",
  "CertificateTransparencyComponentUpdater",
  "DialMediaRouteProvider",
  "DnsOverHttps",
  "InterestFeedContentSuggestions",
  // Its questions would be refused. What pages reach on this computer is for the proxy to decide.
  "LocalNetworkAccessChecks",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "Prerender2",
  "Translate",
  // Announces names of this computer by multicast.
  "WebRtcHideLocalIpsWithMdns",
];

/** Everything that keeps Chromium to the proxy and to one window. */
export function chromiumFlags(options: FlagOptions): readonly string[] {
  const { profile, proxyPort, headless, sandbox, width, height, x, y } = options;
  return [
    "--remote-debugging-pipe",
    `--user-data-dir=${profile}`,
    ...(headless ? ["--headless=new", "--hide-scrollbars"] : []),
    ...(sandbox ? [] : ["--no-sandbox", "--test-type"]),
    `--window-size=${width},${height}`,
    ...(x === undefined || y === undefined ? [] : [`--window-position=${x},${y}`]),

    `--proxy-server=http://127.0.0.1:${proxyPort}`,
    // Without this rule, this computer is reached without the proxy.
    "--proxy-bypass-list=<-loopback>",
    // The proxy resolves names. Chromium itself finds none, not even for a prefetch.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--disable-quic",
    // The name of this switch depends on the version.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    `--disable-features=${disabledFeatures.join(",")}`,
    "--dns-prefetch-disable",
    "--disable-background-networking",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-pings",

    "--disable-extensions",
    "--disable-component-extensions-with-background-pages",
    "--disable-default-apps",
    "--disable-breakpad",
    "--deny-permission-prompts",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-service-autorun",
    "--password-store=basic",
    "--use-mock-keychain",
    "--disable-search-engine-choice-screen",
    "--hide-crash-restore-bubble",

    // A covered or minimized window is drawn as well.
    "--enable-features=CDPScreenshotNewSurface",
    "--disable-backgrounding-occluded-windows",
    "--disable-background-timer-throttling",
    "--disable-renderer-backgrounding",
    // A window without an address bar. Blank pages can't have one.
    "--app=data:text/html,<title>Canvas</title>",
  ];
}

/** The file `Default/Preferences` of the profile. */
export const chromiumPreferences = {
  webrtc: {
    ip_handling_policy: "disable_non_proxied_udp",
    multiple_routes_enabled: false,
    nonproxied_udp_enabled: false,
  },
  /** 2: never. */
  net: { network_prediction_options: 2 },
  alternate_error_pages: { enabled: false },
  search: { suggest_enabled: false },
  safebrowsing: { enabled: false },
  signin: { allowed: false },
  credentials_enable_service: false,
  profile: { password_manager_enabled: false },
};

/** The file `Local State` of the profile. */
export const chromiumLocalState = {
  dns_over_https: { mode: "off" },
  background_mode: { enabled: false },
};
