import { refusalOf as refusalOfProblem } from '../../operators/api/endpoint.ts';
import { unknown } from '../../operators/api/outcome.ts';
import type { ConsoleContext, ConsolePage, View } from '../../operators/console-frame/page.ts';
import { actionButton, factTable } from '../../operators/console-frame/parts.ts';
import { settingsPlace } from '../../operators/overview/console.text.ts';
import { getStatus } from '../../operators/overview/operations.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { outboxText } from './console.text.ts';
import { outboxOf } from './operations.ts';
import { testMail } from './test-mail.operations.ts';
import { testMailText } from './test-mail.text.ts';
import { nameOfDestination, type TestedMail } from './test-mail.ts';

const SEND = 'send';

/** /console/mail: where mail goes, and whether it gets there. */
export const mailPage: ConsolePage = {
  place: 'settings',
  show: async context => view(context, undefined),
  submit: async (context, form) => {
    if (form.get('action') !== SEND) return view(context, undefined);
    const sent = await context.perform<TestedMail>(testMail, { params: {}, body: {} });
    if (sent.kind === 'refused') return sent.refusal;
    if (sent.kind === 'done') return view(context, resultOf(context.locale, sent.value));
    const { tooMany, noAddress } = testMailText[context.locale];
    return view(context, alert(sent.faults.has('to') ? html`${noAddress}` : html`${tooMany}`));
  },
};

async function view(
  context: ConsoleContext,
  result: Html | undefined,
): Promise<View | ReturnType<typeof refusalOfProblem>> {
  const { locale, can, services } = context;
  if (!can(getStatus)) return refusalOfProblem(unknown('object'));
  const text = testMailText[locale];
  const { mail } = services.config;
  return {
    title: text.title,
    crumbs: [[settingsPlace[locale], '/console/settings']],
    about: html`${text.about}`,
    body: mail
      ? html`${result}<section>${await facts(context, mail)}</section>\n${can(testMail) && (await testSection(context))}`
      : html`<section><p><strong>${text.off}</strong></p><p>${text.offText}</p>
<pre>MAIL_URL=smtps://user:password@smtp.example.com
MAIL_FROM='Example &lt;id@example.com&gt;'</pre></section>`,
  };
}

async function facts({ locale, services, may }: ConsoleContext, mail: NonNullable<Mail>): Promise<Html> {
  const text = testMailText[locale];
  const { destination, from } = mail;
  const name = html`<code>${nameOfDestination(destination)}</code>`;
  const hasOutbox = may('owner') && outboxOf({ services }) !== undefined;
  const place =
    destination.kind === 'smtp'
      ? ([text.destination, name] as const)
      : ([text.folder, html`${name}<p class="hint">${text.folderHint}</p>${hasOutbox && outboxLink(locale)}`] as const);
  const waiting = (await services.store.countWaitingMails()).toLocaleString(locale);
  return factTable([place, [text.sender, html`<code>${from}</code>`], [text.waiting, waiting]]);
}

type Mail = ConsoleContext['services']['config']['mail'];

function outboxLink(locale: OperatorLocale): Html {
  return html`<a href="/console/outbox">${outboxText[locale].title}</a>`;
}

async function testSection({ locale, operator, services }: ConsoleContext): Promise<Html> {
  const text = testMailText[locale];
  const address = (await services.store.findUser(operator.sub))?.email;
  return html`<section><h2>${text.test}</h2>${
    address === undefined
      ? html`<p>${text.noAddress}</p><p><a class="button quiet" href="/account">${text.profile}</a></p>`
      : html`<p>${text.testText(address)}</p>${actionButton({ action: SEND, label: text.test })}`
  }</section>`;
}

function resultOf(locale: OperatorLocale, { to, destination, outcome, answer, fault = 'other' }: TestedMail): Html {
  const text = testMailText[locale];
  const said = answer !== '' && html`<p>${text.answer}: <code>${answer}</code></p>`;
  switch (outcome) {
    case 'accepted':
      return html`<div class="notice" role="status"><p><strong>${text.accepted(destination, to)}</strong></p>${said}<p>${text.acceptedHint}</p></div>`;
    case 'written':
      return html`<div class="notice" role="status"><p><strong>${text.written(destination)}</strong></p><p>${text.writtenHint}</p></div>`;
    case 'refused':
      return alert(html`<p><strong>${text.refused(destination, to)}</strong></p>${said}<p>${text.remedies[fault]}</p>`);
  }
}

function alert(content: Html): Html {
  return html`<div class="alert" role="alert" tabindex="-1">${content}</div>`;
}
