import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeFinding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What axe finds on the page as it is, and then in dark colours: the other scheme changes colours and nothing else. */
export async function axeFindings(page: Page): Promise<readonly unknown[]> {
  await page.evaluate(AXE);
  const light = await run(page, 'axe.run({ resultTypes })');
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await run(page, `axe.run({ resultTypes, runOnly: ['color-contrast'] })`);
  await page.emulateMedia({ colorScheme: 'light' });
  return [...light, ...dark];
}

async function run(page: Page, expression: string) {
  // All rules run either way; axe would otherwise describe each element that passed one, too.
  const only = `const resultTypes = ['violations']`;
  const found = await page.evaluate<AxeFinding[]>(`{ ${only}; ${expression}.then(results => results.violations) }`);
  return found.map(({ id, nodes }) => [id, nodes.map(({ html, failureSummary }) => [html, failureSummary])]);
}
