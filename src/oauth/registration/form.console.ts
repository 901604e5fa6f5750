import { namesIn } from '../../directory/access/membership-form.console.ts';
import type { ApplicationValues } from '../../directory/branding/form.console.ts';
import type { Faults } from '../../operators/console/page.ts';
import { field } from '../../operators/console/parts.ts';
import { inLocale } from '../../operators/console/text.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { softwareStatementFields, softwareStatementsBody } from './software-statements-form.console.ts';

/** Which clients an application takes that no operator has set. */
const words = inLocale({
  en: {
    legend: 'Clients that register themselves',
    documents: [
      'Client ID metadata documents',
      'A client_id may be the https address of a document that the client publishes. People are asked each time.',
    ],
    documentOptions: [
      ['off', 'Off'],
      ['listed', 'Of the hosts below'],
      ['any', 'Of any host'],
    ],
    hosts: ['Hosts', 'One on each line, such as client.example; *.client.example stands for all below it.'],
    registration: ['Dynamic registration', 'Programs register clients at …/register. People are asked each time.'],
    registrationOptions: [
      ['off', 'Off'],
      ['token', 'With an initial access token'],
      ['open', 'By anybody'],
    ],
  },
  zh: {
    legend: '自行注册的客户端',
    documents: ['客户端 ID 元数据文档', 'client_id 可以是客户端所发布文档的 https 地址。每次都会询问用户。'],
    documentOptions: [
      ['off', '关闭'],
      ['listed', '仅限下面的主机'],
      ['any', '任何主机'],
    ],
    hosts: ['主机', '每行一个，例如 client.example；*.client.example 表示其下的所有主机。'],
    registration: ['动态注册', '程序在 …/register 注册客户端。每次都会询问用户。'],
    registrationOptions: [
      ['off', '关闭'],
      ['token', '需要初始访问令牌'],
      ['open', '任何人'],
    ],
  },
} as const);

const DOCUMENTS = 'client_id_metadata';
const HOSTS = 'client_id_metadata.hosts';
const REGISTRATION = 'dynamic_registration';

export function selfRegistrationFields(locale: OperatorLocale, values: ApplicationValues, faults: Faults): Html {
  const text = words(locale);
  const { [DOCUMENTS]: documents = 'off', [REGISTRATION]: registration = 'off' } = values;
  const hosts = Array.isArray(documents) ? (documents as readonly string[]) : undefined;
  const [label, hint] = text.documents;
  const choice = { name: DOCUMENTS, label, hint, kind: { options: text.documentOptions } } as const;
  const [hostsLabel, hostsHint] = text.hosts;
  const list = { name: HOSTS, label: hostsLabel, hint: hostsHint, kind: 'lines' } as const;
  const [registrationLabel, registrationHint] = text.registration;
  const registering = { name: REGISTRATION, label: registrationLabel, hint: registrationHint } as const;
  return html`<fieldset><legend>${text.legend}</legend>${field({ ...choice, value: hosts ? 'listed' : String(documents) }, faults)}${field(
    { ...list, value: hosts?.join('\n') },
    faults,
  )}${field({ ...registering, value: String(registration), kind: { options: text.registrationOptions } }, faults)}${softwareStatementFields(locale, values, faults)}</fieldset>`;
}

/** Nothing where the form has no such fields: the settings stay as they are. */
export function selfRegistrationBody(form: Params): ApplicationValues {
  const documents = form.get(DOCUMENTS);
  const registration = form.get(REGISTRATION);
  return {
    ...(documents === undefined ? {} : { [DOCUMENTS]: documents === 'listed' ? namesIn(form.get(HOSTS)) : documents }),
    ...(registration === undefined ? {} : { [REGISTRATION]: registration }),
    ...softwareStatementsBody(form),
  };
}
