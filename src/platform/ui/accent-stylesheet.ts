import { correctedAccent, type Shade } from './accent.rules.ts';
import { type Asset, hashedPath } from './assets.ts';

/**
 * The stylesheet that sets the accent of one application; pages have no inline style (docs/look.md). It depends on the colour alone, so
 * that neither the application nor the store is read for it. Its address has the colour, and the hash of the content as every asset.
 */
export function accentStylesheet(color: string): Asset {
  const { light, dark } = correctedAccent(color);
  const body = Buffer.from(`${rule(light)}@media (prefers-color-scheme:dark){${rule(dark)}}\n`);
  const path = hashedPath(`accent-${color.slice(1)}`, 'css', body);
  return { path, type: 'text/css; charset=utf-8', body };
}

function rule({ accent, text }: Shade): string {
  return `:root{--accent:${accent};--accent-text:${text}}`;
}

/** Undefined: no stylesheet of an accent has this address. Nothing but six hexadecimal digits gets from it into the stylesheet. */
export function findAccentStylesheet(path: string): Asset | undefined {
  const color = /^\/assets\/accent-([0-9a-f]{6})\./.exec(path)?.[1];
  const found = color === undefined ? undefined : accentStylesheet(`#${color}`);
  return found?.path === path ? found : undefined;
}
