/**
 * `node scripts/screenshots.ts FOLDER`: pictures of every page, at phone and desktop width, light and dark, English and
 * Chinese, for review. docs/images/login.png is FOLDER/login-1280-light-en.png.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openChromium } from '../test/browser/chromium.ts';
import { gallery, openGallery } from '../test/browser/gallery.ts';

const folder = process.argv[2];
if (folder === undefined) {
  process.stderr.write('usage: node scripts/screenshots.ts FOLDER\n');
  process.exit(64);
}
mkdirSync(folder, { recursive: true });

const server = await openGallery();
const browser = await openChromium();
try {
  for (const width of [360, 1280]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const locale of ['en', 'zh-CN']) {
        const options = { viewport: { width, height: 720 }, colorScheme, locale };
        for (const { name, translated, open } of gallery) {
          if (!translated && locale !== 'en') continue;
          const context = await browser.newContext(options);
          const page = await context.newPage();
          await open(page, server);
          const file = `${name}-${width}-${colorScheme}-${locale.slice(0, 2)}.png`;
          await page.screenshot({ path: join(folder, file), fullPage: true });
          await context.close();
        }
      }
    }
  }
} finally {
  await browser.close();
  await server.close();
}
