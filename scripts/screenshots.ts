/**
 * `npm run screenshots`: the pictures of docs/images, from the real pages of a server with sample data.
 * `npm run screenshots -- FOLDER`: every page, at phone and desktop width, light and dark, in every language, for review.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { gallery } from '../test/browser/gallery/gallery.ts';
import { openGallery } from '../test/browser/gallery/server.ts';
import { launchOptions } from './browser-server.ts';
import { withPalette } from './palette-png.ts';
import { openSampleDeployment } from './sample-deployment.ts';

const folder = process.argv[2];
if (folder === undefined) await takePicturesOfDocuments(fileURLToPath(new URL('../docs/images/', import.meta.url)));
else await takeGallery(folder);

async function takePicturesOfDocuments(images: string): Promise<void> {
  const { server, browserArguments, pictures } = await openSampleDeployment();
  const browser = await chromium.launch(launchOptions(browserArguments));
  try {
    for (const { name, height, open } of pictures) {
      const context = await browser.newContext({
        viewport: { width: 1280, height },
        colorScheme: 'light',
        locale: 'en',
      });
      const page = await context.newPage();
      await open(page);
      const file = withPalette(await page.screenshot());
      writeFileSync(join(images, `${name}.png`), file);
      process.stdout.write(`${name}.png ${Math.ceil(file.length / 1024)} KB\n`);
      await context.close();
    }
  } finally {
    await browser.close();
    await server.close();
  }
}

async function takeGallery(images: string): Promise<void> {
  mkdirSync(images, { recursive: true });
  const server = await openGallery();
  const browser = await chromium.launch(launchOptions());
  try {
    for (const width of [360, 1280]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const locale of ['en', 'zh-CN', 'de']) {
          const options = { viewport: { width, height: 720 }, colorScheme, locale };
          for (const { name, translated, open } of gallery) {
            if (!translated && locale !== 'en') continue;
            const context = await browser.newContext(options);
            const page = await context.newPage();
            await open(page, server);
            const file = `${name}-${width}-${colorScheme}-${locale.slice(0, 2)}.png`;
            await page.screenshot({ path: join(images, file), fullPage: true });
            await context.close();
          }
        }
      }
    }
  } finally {
    await browser.close();
    await server.close();
  }
}
