import { type Browser, chromium } from 'playwright-core';
import { launchOptions } from '../../scripts/browser-server.ts';

/** The Chromium of the test run (TEST_BROWSER, scripts/browser-server.ts); one for this file where there is none. */
export function openChromium(): Promise<Browser> {
  const address = process.env.TEST_BROWSER;
  return address ? chromium.connect(address) : chromium.launch(launchOptions());
}
