import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type Visit, visit, withoutStatusNotes } from './browser-fixture.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeFinding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/**
 * A window for page after page, each of which can be inspected. The browser keeps axe as a function, compiled once: sent to each
 * page it costs more than it takes to run.
 */
export async function openInspection(browser: Browser, options: BrowserContextOptions = {}): Promise<Visit> {
  const seen = await visit(browser, { colorScheme: 'light', ...options });
  await seen.page.addInitScript(`globalThis.loadAxe = () => {${AXE}\n}`);
  return seen;
}

/** What axe finds on the page as it is. */
export function axeFindings(page: Page): Promise<readonly unknown[]> {
  return run(page, '{ ...common }');
}

/** And then in dark colours: the other scheme changes colours and nothing else. */
export async function axeFindingsLightAndDark(page: Page): Promise<readonly unknown[]> {
  const light = await axeFindings(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await contrastFindings(page);
  await page.emulateMedia({ colorScheme: 'light' });
  return [...light, ...dark];
}

/**
 * Light on a phone and dark on a desk: axe finds nothing, nothing scrolls sideways, and the browser had no complaint. All rules run on
 * both. Colours do not depend on the width, so each scheme is measured on one of them.
 */
export async function assertPresentable({ page, complaints }: Visit): Promise<void> {
  for (const [width, colorScheme] of [
    [360, 'light'],
    [1280, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, `${page.url()} scrolls sideways`);
    assert.deepEqual(await axeFindings(page), [], `${page.url()}, ${width} px, ${colorScheme}`);
  }
  assert.deepEqual(withoutStatusNotes(complaints), []);
}

export function contrastFindings(page: Page): Promise<readonly unknown[]> {
  return run(page, `{ ...common, runOnly: ['color-contrast'] }`);
}

async function run(page: Page, options: string): Promise<readonly unknown[]> {
  const found = await page.evaluate<AxeFinding[]>(`{
    globalThis.axe ?? loadAxe();
    const common = {
      // All rules run either way; axe would otherwise describe each element that passed one, too.
      resultTypes: ['violations'],
      // No rule that runs needs the style sheets, which axe would fetch again.
      preload: { assets: ['media'] },
    };
    axe.run(${options}).then(results => results.violations);
  }`);
  return found.map(({ id, nodes }) => [id, nodes.map(({ html, failureSummary }) => [html, failureSummary])]);
}
