import { testMailText } from '../../notify/mail/test-mail.text.ts';
import type { Setting } from '../../platform/config/config.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { refusalOf } from '../api/endpoint.ts';
import { unknown } from '../api/outcome.ts';
import type { ConsolePage } from '../console-frame/page.ts';
import { pill } from '../console-frame/parts.ts';
import { card, rows, settingRow } from '../console-frame/setting-rows.ts';
import { settingsPlace, settingsText } from './console.text.ts';
import { getStatus } from './operations.ts';

type OwnName = Exclude<Setting['name'], `OTEL_${string}`>;
type Text = (typeof settingsText)['en'];
type Section = keyof Text['sections'];

/** In the order of the page, and within a section in that of the settings. */
const SECTIONS: readonly Section[] = ['address', 'database', 'secrets', 'outbound', 'mail', 'operators', 'observation'];

const SECTION_OF: Readonly<Record<OwnName, Section>> = {
  PORT: 'address',
  HOST: 'address',
  BASE_URL: 'address',
  DOCS_URL: 'address',
  TRUSTED_PROXIES: 'address',
  GATEHOUSE_ALLOW_HTTP: 'address',
  GATEHOUSE_MAX_CONNECTIONS_PER_ADDRESS: 'address',
  GATEHOUSE_WORKERS: 'address',
  DATABASE_URL: 'database',
  DATABASE_LISTEN_URL: 'database',
  DATABASE_TIMEOUT: 'database',
  GATEHOUSE_CITUS: 'database',
  GATEHOUSE_CITUS_SPREAD: 'database',
  GATEHOUSE_SECRET: 'secrets',
  TLS_PORT: 'secrets',
  TLS_CERT: 'secrets',
  TLS_KEY: 'secrets',
  TLS_CLIENT_CA: 'secrets',
  CLIENT_CERTIFICATE_HEADER: 'secrets',
  MTLS_BASE_URL: 'secrets',
  GATEHOUSE_OUTBOUND_ALLOW: 'outbound',
  GATEHOUSE_OUTBOUND_TIMEOUT: 'outbound',
  PASSWORD_RANGE_URL: 'outbound',
  MAIL_URL: 'mail',
  MAIL_FROM: 'mail',
  GATEHOUSE_DEMO: 'operators',
  GATEHOUSE_API_DOCS: 'operators',
  GATEHOUSE_OPERATOR_MFA: 'operators',
  GATEHOUSE_METRICS_PORT: 'observation',
  GATEHOUSE_METRICS_HOST: 'observation',
  GATEHOUSE_METRICS_TOKEN: 'observation',
  GATEHOUSE_EVENTS_RETENTION_DAYS: 'observation',
  GATEHOUSE_EVENT_STREAMS: 'observation',
  LOG_LEVEL: 'observation',
};

/** /console/settings: read-only. A role that is limited to applications does not reach it. */
export const settings: ConsolePage = {
  place: 'settings',
  show: async ({ locale, can, services }) => {
    if (!can(getStatus)) return refusalOf(unknown('object'));
    const text = settingsText[locale];
    const all = services.config.settings;
    const section = (name: Section) => {
      const own = all.filter(each => sectionOf(each.name) === name);
      const body = rows(...own.map(each => row(each, text)));
      return own.length > 0 && card({ title: text.sections[name], id: name, body });
    };
    return {
      title: settingsPlace[locale],
      about: html`${text.about}`,
      actions: html`<a class="button quiet" href="/console/mail">${testMailText[locale].title}</a>`,
      body: html`${SECTIONS.map(section)}`,
    };
  },
};

/** A default is the usual thing, and says nothing more. */
function row({ name, value, source }: Setting, text: Text): Html {
  const shown = value === undefined ? html`<span class="muted">${text.unset}</span>` : html`<code>${value}</code>`;
  const from = source !== 'default' && html` ${pill(source === 'environment' ? 'ok' : 'plain', text.sources[source])}`;
  return settingRow(html`<code>${name}</code>`, meaningOf(name, text), html`${shown}${from}`);
}

function isOwn(name: Setting['name']): name is OwnName {
  return Object.hasOwn(SECTION_OF, name);
}

function sectionOf(name: Setting['name']): Section {
  return isOwn(name) ? SECTION_OF[name] : 'observation';
}

function meaningOf(name: Setting['name'], { meanings, openTelemetry }: Text): string {
  return isOwn(name) ? meanings[name] : openTelemetry;
}
