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

const load = (name: string, type: string): Asset => {
  const body = readFileSync(new URL(`./assets/${name}`, import.meta.url));
  const [stem = '', extension = ''] = name.split('.');
  return { path: hashedPath(stem, extension, body), type, body };
};

export const stylesheet = load('gatehouse.css', 'text/css; charset=utf-8');
/** Optional script: shows the password, prevents a double submit. Every page works without it. */
export const pageScript = load('page.js', 'text/javascript; charset=utf-8');
/** Passkeys are the one thing that needs script. */
export const passkeyScript = load('passkey.js', 'text/javascript; charset=utf-8');
export const formPostScript = load('form-post.js', 'text/javascript; charset=utf-8');
export const apiReferenceScript = load('api-reference.js', 'text/javascript; charset=utf-8');
/** Optional too: copy buttons, the live tail of events. */
export const consoleScript = load('console.js', 'text/javascript; charset=utf-8');
export const consoleStylesheet = load('console.css', 'text/css; charset=utf-8');
export const demoScript = load('demo.js', 'text/javascript; charset=utf-8');

/** At an address of its own, which browsers know. */
export const favicon = load('favicon.ico', 'image/x-icon');

export const assets: ReadonlyMap<string, Asset> = new Map(
  [
    ...[stylesheet, pageScript, passkeyScript, formPostScript, apiReferenceScript],
    ...[consoleScript, consoleStylesheet, demoScript],
  ].map(asset => [asset.path, asset]),
);
