import type { Faults } from '../../operators/console/page.ts';
import { field } from '../../operators/console/parts.ts';
import { inLocale } from '../../operators/console/text.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { correctedAccent, type Shade } from '../../platform/ui/accent.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { issuerOf } from '../applications/rules.ts';
import { logoHash, MAX_LOGO_BYTES } from './rules.ts';

/** Of an application, by the names of the admin API. */
export type ApplicationValues = Readonly<Record<string, unknown>>;

const words = inLocale({
  en: {
    legend: 'Look of the sign-in pages',
    current: 'The current logo',
    remove: 'Remove the logo',
    logo: [
      'Logo',
      `PNG, JPEG, WebP or SVG of at most ${MAX_LOGO_BYTES / 1024} KiB, as data:image/png;base64,… Left empty, the logo stays as it is.`,
    ],
    file: 'Logo from a file',
    tooLarge: `The file has more than ${MAX_LOGO_BYTES / 1024} KiB. Choose a smaller image.`,
    sample: 'Sign in',
    shownAs: (light: string, dark: string) => `Shown as ${light} in light and ${dark} in dark.`,
    fields: {
      accent_color: ['Accent colour', '#rrggbb. Pages darken or lighten it until text is legible. Empty: our blue.'],
      help_uri: ['Help', 'An https address, linked at the foot of the pages.'],
      policy_uri: ['Privacy policy', 'An https address, linked at the foot of the pages.'],
      tos_uri: ['Terms of service', 'An https address, linked at the foot of the pages.'],
    },
  },
  zh: {
    legend: '登录页面的外观',
    current: '当前标志',
    remove: '移除标志',
    logo: [
      '标志',
      `PNG、JPEG、WebP 或 SVG，最大 ${MAX_LOGO_BYTES / 1024} KiB，格式为 data:image/png;base64,… 留空则保持不变。`,
    ],
    file: '从文件选择标志',
    tooLarge: `文件超过 ${MAX_LOGO_BYTES / 1024} KiB。请选择更小的图片。`,
    sample: '登录',
    shownAs: (light: string, dark: string) => `浅色模式显示为 ${light}，深色模式显示为 ${dark}。`,
    fields: {
      accent_color: ['强调色', '#rrggbb。页面会将其调深或调浅，直到文字清晰可读。留空则使用默认蓝色。'],
      help_uri: ['帮助', 'https 地址，链接显示在页面底部。'],
      policy_uri: ['隐私政策', 'https 地址，链接显示在页面底部。'],
      tos_uri: ['服务条款', 'https 地址，链接显示在页面底部。'],
    },
  },
} as const);

type TextField = keyof ReturnType<typeof words>['fields'];
const FIELDS = Object.keys(words('en').fields) as TextField[];

/** `stored`: the application as it is, whose logo is shown as an image; what was typed stays in the form. */
export function brandingFields(
  locale: OperatorLocale,
  values: ApplicationValues,
  faults: Faults,
  stored: ApplicationValues | undefined,
): Html {
  const text = words(locale);
  return html`<fieldset><legend>${text.legend}</legend>
${logoFields(locale, values === stored ? undefined : values.logo_uri, faults, stored)}${FIELDS.map(name => {
  const [label, hint] = text.fields[name];
  return html`${field({ name, label, hint, value: asText(values[name]) }, faults)}${
    name === 'accent_color' && accentSample(locale, stored?.accent_color)
  }`;
})}</fieldset>
`;
}

function logoFields(
  locale: OperatorLocale,
  typed: unknown,
  faults: Faults,
  stored: ApplicationValues | undefined,
): Html {
  const text = words(locale);
  const [label, hint] = text.logo;
  const current = stored?.logo_uri;
  const shown =
    typeof current === 'string' &&
    html`<div class="field"><img class="logo" src="${issuerOf('', String(stored?.code))}/logo/${logoHash(current)}" alt="${text.current}"></div>
${field({ name: 'remove_logo', label: text.remove, kind: 'check' }, faults)}`;
  // The chooser is shown by the script, which puts the file into the field below it.
  return html`${shown}<div class="field" data-file-for="logo_uri" hidden><label for="logo-file">${text.file}</label><input type="file" id="logo-file" accept="image/png,image/jpeg,image/webp,image/svg+xml" data-max-bytes="${MAX_LOGO_BYTES}" data-too-large="${text.tooLarge}"></div>
${field({ name: 'logo_uri', label, hint, value: asText(typed), kind: 'lines' }, faults)}`;
}

/** How the pages show the colour that is stored. A drawing, because pages have no inline style. */
function accentSample(locale: OperatorLocale, color: unknown): Html | false {
  if (typeof color !== 'string') return false;
  const text = words(locale);
  const { light, dark } = correctedAccent(color);
  const button = ({ accent, text: on }: Shade, x: number) =>
    html`<rect x="${x}" width="112" height="40" rx="8" fill="${accent}"/><text x="${x + 56}" y="25" text-anchor="middle" fill="${on}">${text.sample}</text>`;
  return html`<div class="field"><svg class="accent-sample" viewBox="0 0 240 40" width="240" height="40" aria-hidden="true">${button(light, 0)}${button(dark, 128)}</svg><p class="hint">${text.shownAs(light.accent, dark.accent)}</p></div>
`;
}

function asText(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}

/** What is left empty is cleared; the logo stays, because the form does not carry it. */
export function brandingBody(form: Params): ApplicationValues {
  const typed = Object.fromEntries(FIELDS.map(name => [name, form.get(name)?.trim() || null]));
  // Programs that print base64 break it into lines.
  const logo = form.get('logo_uri')?.replace(/\s+/g, '');
  if (logo) return { ...typed, logo_uri: logo };
  return form.get('remove_logo') === 'true' ? { ...typed, logo_uri: null } : typed;
}
