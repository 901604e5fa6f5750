import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The static files of the pages, read once. Their URL contains a hash of the content, so browsers may cache them for ever. */
export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
}

export function hashedPath(stem: string, extension: string, body: Buffer): string {
  return `/assets/${stem}.${hash('sha256', body, 'hex').slice(0, 12)}.${extension}`;
}

/** Under the name of the first. Several are one file to the browser; they are apart because a file of a thousand lines is no file to read. */
const load = (type: string, name: string, ...further: readonly string[]): Asset => {
  const parts = [name, ...further].map(each => readFileSync(new URL(`./assets/${each}`, import.meta.url)));
  const body = Buffer.concat(parts);
  const [stem = '', extension = ''] = name.split('.');
  return { path: hashedPath(stem, extension, body), type, body };
};
const CSS = 'text/css; charset=utf-8';
const JAVASCRIPT = 'text/javascript; charset=utf-8';

export const stylesheet = load(CSS, 'gatehouse.css');
/** Optional script: shows the password, prevents a double submit. Every page works without it. */
export const pageScript = load(JAVASCRIPT, 'page.js');
/** Passkeys are the one thing that needs script. */
export const passkeyScript = load(JAVASCRIPT, 'passkey.js');
export const formPostScript = load(JAVASCRIPT, 'form-post.js');
export const apiReferenceScript = load(JAVASCRIPT, 'api-reference.js');
/** Optional too: copy buttons, the live tail of events. */
export const consoleScript = load(JAVASCRIPT, 'console.js');
export const consoleStylesheet = load(
  CSS,
  'console.css',
  'console-parts.css',
  'console-pages.css',
  'console-overview.css',
  'console-clients.css',
);
/** The search as a dialog. */
export const consoleSearch = load(JAVASCRIPT, 'console-search.js');
/** Times in the zone of the reader. */
export const consoleTimes = load(JAVASCRIPT, 'console-times.js');
/** Of a page that waits for its frames. */
export const goOnScript = load(JAVASCRIPT, 'go-on.js');
export const demoScript = load(JAVASCRIPT, 'demo.js');

/** At an address of its own, which browsers know. */
export const favicon = load('image/x-icon', 'favicon.ico');

export const assets: ReadonlyMap<string, Asset> = new Map(
  [
    ...[stylesheet, pageScript, passkeyScript, formPostScript, apiReferenceScript],
    ...[consoleScript, consoleStylesheet, consoleTimes, consoleSearch, demoScript, goOnScript],
  ].map(asset => [asset.path, asset]),
);
