import { type Html, html } from '../../platform/ui/html.ts';
import { recordBackup } from '../backup/operations.ts';
import { answerForm } from '../console-frame/answer.ts';
import { type ConsoleContext, type ConsolePage, refusalOf } from '../console-frame/page.ts';
import { actionButton, timeOf } from '../console-frame/parts.ts';
import { deploymentText, statusPlace, statusText } from './console.text.ts';
import { deploymentSections, type Status } from './deployment.console.ts';
import { getStatus } from './operations.ts';

const MADE = 'backup-made';
const ELSEWHERE = 'backup-elsewhere';

/** /console/status: the machine room: nodes, queues, database, keys and backups. Not for a role that is limited to applications. */
export const status: ConsolePage = {
  place: 'status',
  show: async context => {
    const { locale, perform } = context;
    const found = await perform<Status>(getStatus, { params: {} });
    if (found.kind !== 'done') return refusalOf(found);
    return {
      title: statusPlace[locale],
      about: html`${statusText[locale].about}`,
      body: html`${deploymentSections(locale, found.value)}
${backups(context, found.value)}`,
    };
  },
  submit: async (context, form) => {
    const action = form.get('action');
    if (action !== MADE && action !== ELSEWHERE) return status.show(context);
    const body = { kind: action === MADE ? 'made' : 'elsewhere' };
    const recorded = await context.perform(recordBackup, { params: {}, body });
    return answerForm(context, recorded, { path: '/console/status', notice: 'backupRecorded' }, () =>
      status.show(context),
    );
  },
};

function backups({ locale, can }: ConsoleContext, { last_backup: last, database }: Status): Html {
  const text = deploymentText[locale];
  const known = last
    ? html`${last.kind === 'made' ? text.lastBackup : text.elsewhereSince} ${timeOf(locale, last.at)}`
    : html`${text.noBackup}`;
  const command =
    database.kind === 'sqlite'
      ? 'gatehouse backup /var/backups/gatehouse-$(date +%F).db'
      : 'pg_dump --format custom --file /var/backups/gatehouse-$(date +%F).dump "$DATABASE_URL" && gatehouse backup --made';
  return html`<section id="backups"><h2>${text.backups}</h2>
<p>${known}</p>
<p class="muted">${text.backupHow}</p>
<pre>${command}</pre>
${can(recordBackup) && html`<p class="muted">${text.backupElsewhere}</p><div class="acts">${actionButton({ action: ELSEWHERE, label: text.elsewhere })}${actionButton({ action: MADE, label: text.madeNow })}</div>`}</section>`;
}
