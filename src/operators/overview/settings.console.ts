import { testMailText } from '../../notify/mail/test-mail.text.ts';
import { html } from '../../platform/ui/html.ts';
import { refusalOf } from '../api/endpoint.ts';
import { unknown } from '../api/outcome.ts';
import type { ConsolePage } from '../console-frame/page.ts';
import { copyable, pill, table } from '../console-frame/parts.ts';
import { settingsPlace, settingsText } from './console.text.ts';
import { getStatus } from './operations.ts';

/** /console/settings: read-only. A role that is limited to applications does not reach it. */
export const settings: ConsolePage = {
  place: 'settings',
  show: async ({ locale, can, services }) => {
    if (!can(getStatus)) return refusalOf(unknown('object'));
    const text = settingsText[locale];
    const rows = services.config.settings.map(({ name, value, source }) => [
      copyable(locale, name),
      value === undefined ? html`<span class="muted">${text.unset}</span>` : html`<code>${value}</code>`,
      pill(source === 'environment' ? 'ok' : 'plain', text.sources[source]),
      html`<span class="muted">${meaningOf(name, text)}</span>`,
    ]);
    return {
      title: settingsPlace[locale],
      about: html`${text.about}`,
      actions: html`<a class="button quiet" href="/console/mail">${testMailText[locale].title}</a>`,
      body: html`<section>${table(text.columns, rows, html``)}</section>`,
    };
  },
};

function meaningOf(name: string, { meanings, openTelemetry }: (typeof settingsText)['en']): string {
  return Object.hasOwn(meanings, name) ? meanings[name as keyof typeof meanings] : openTelemetry;
}
