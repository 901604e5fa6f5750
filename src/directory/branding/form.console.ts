import { field } from '../../operators/console-frame/parts.ts';
import { correctedAccent, type Shade } from '../../platform/ui/accent.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { issuerOf } from '../applications/rules.ts';
import { type FieldControl, fieldIn } from '../fields/form.console.ts';
import { brandingText } from './console.text.ts';
import { logoHash, MAX_LOGO_BYTES } from './rules.ts';

/** The current logo is shown as an image; the form does not carry it, so left empty it stays. */
export const logoControl: FieldControl = {
  show(locale, { name, text: fieldText }, { values, faults, stored }) {
    const text = brandingText[locale];
    const [label, hint] = fieldText[locale];
    const current = stored?.logo_uri;
    const typed = values === stored ? undefined : values.logo_uri;
    const value = typed === undefined || typed === null ? undefined : String(typed);
    const shown =
      typeof current === 'string' &&
      html`<div class="field"><img class="logo" src="${issuerOf('', String(stored?.code))}/logo/${logoHash(current)}" alt="${text.current}"></div>
${field({ name: 'remove_logo', label: text.remove, kind: 'check' }, faults)}`;
    // The chooser is shown by the script, which puts the file into the field below it.
    return html`${shown}<div class="field" data-file-for="logo_uri" hidden><label for="logo-file">${text.file}</label><input type="file" id="logo-file" accept="image/png,image/jpeg,image/webp,image/svg+xml" data-max-bytes="${MAX_LOGO_BYTES}" data-too-large="${text.tooLarge}"></div>
${field({ name, label, hint, value, kind: 'lines' }, faults)}`;
  },
  read(form) {
    // Programs that print base64 break it into lines.
    const logo = form.get('logo_uri')?.replace(/\s+/g, '');
    if (logo) return { logo_uri: logo };
    return form.get('remove_logo') === 'true' ? { logo_uri: null } : {};
  },
};

export const accentControl: FieldControl = {
  show: (locale, field, form) =>
    html`${fieldIn(locale, field, form)}${accentSample(locale, form.stored?.accent_color)}`,
  read: form => ({ accent_color: form.get('accent_color')?.trim() || null }),
};

/** How the pages show the colour that is stored. A drawing, because pages have no inline style. */
function accentSample(locale: OperatorLocale, color: unknown): Html | false {
  if (typeof color !== 'string') return false;
  const text = brandingText[locale];
  const { light, dark } = correctedAccent(color);
  const button = ({ accent, text: on }: Shade, x: number) =>
    html`<rect x="${x}" width="112" height="40" rx="8" fill="${accent}"/><text x="${x + 56}" y="25" text-anchor="middle" fill="${on}">${text.sample}</text>`;
  return html`<div class="field"><svg class="accent-sample" viewBox="0 0 240 40" width="240" height="40" aria-hidden="true">${button(light, 0)}${button(dark, 128)}</svg><p class="hint">${text.shownAs(light.accent, dark.accent)}</p></div>
`;
}
