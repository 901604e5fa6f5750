import { chromium } from 'playwright-core';
import { ensureChromium } from './chromium.ts';

/**
 * Of these Chromium takes the last list on its command line, so Playwright's own is repeated: the part of it that concerns a
 * program of the distribution on Linux.
 */
const PLAYWRIGHT_TURNS_OFF = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

/** The suggestions of an address bar that nobody sees: two pages in every window, more work than the page under test. */
const ADDRESS_BAR = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'PreloadTopChromeWebUI'];

/** How the tests start Chromium; fails, and says what to install, where there is none. */
export function launchOptions(furtherArguments: readonly string[] = []) {
  const found = ensureChromium();
  if (found.kind === 'missing') throw new Error(found.advice);
  return {
    executablePath: found.path,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      // Or it emulates a graphics card, on the processor.
      '--disable-gpu-rasterization',
      '--disable-software-rasterizer',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      `--disable-features=${[...PLAYWRIGHT_TURNS_OFF, ...ADDRESS_BAR].join()}`,
      ...furtherArguments,
    ],
  };
}

export interface BrowserServer {
  /** For TEST_BROWSER, from which `openChromium` of the tests takes it. */
  readonly address: string;
  close(): Promise<void>;
}

/** One Chromium for all files of a test run, in whatever processes they run. Each file has browser contexts of its own. */
export async function startBrowserServer(): Promise<BrowserServer> {
  const server = await chromium.launchServer({ ...launchOptions(), host: '127.0.0.1' });
  return { address: server.wsEndpoint(), close: () => server.close() };
}
