import { type Browser, chromium } from 'playwright-core';
import { ensureChromium } from '../../scripts/chromium.ts';

/** Real Chromium on a profile folder of its own, which goes when the browser closes. */
export async function openChromium(further: readonly string[] = []): Promise<Browser> {
  const found = ensureChromium();
  if (found.kind === 'missing') throw new Error(found.advice);
  return chromium.launch({
    executablePath: found.path,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      ...further,
    ],
  });
}
