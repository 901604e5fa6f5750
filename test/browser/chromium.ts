import { type Browser, chromium } from 'playwright-core';
import { ensureChromium } from '../../scripts/chromium.ts';

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

/** Real Chromium on a profile folder of its own, which goes when the browser closes. */
export async function openChromium(further: readonly string[] = []): Promise<Browser> {
  const found = ensureChromium();
  if (found.kind === 'missing') throw new Error(found.advice);
  return chromium.launch({
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
      ...further,
    ],
  });
}
