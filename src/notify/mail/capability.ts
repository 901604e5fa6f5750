import { capability, from } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';
import { mailTables } from './tables.ts';

/** Mail: the queue, its sender, a test of the settings (/console/mail), and the outbox folder of a development machine. */
export const mail = capability('notify/mail', {
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/outbox': { GET: 'listOutbox' },
      '/outbox/{id}': { GET: 'getOutboxMail' },
    }),
    operationsOf(() => import('./test-mail.operations.ts'), { '/mail/test': { POST: 'testMail' } }),
  ],
  console: {
    '/console/mail': from(() => import('./mail.console.ts'), 'mailPage'),
    '/console/outbox': from(() => import('./console.ts'), 'outbox'),
    '/console/outbox/{id}': from(() => import('./console.ts'), 'outboxMail'),
  },
  jobs: [
    { name: 'mails', everyMs: 1000, runs: 'once on a machine', load: from(() => import('./job.ts'), 'sendMails') },
  ],
  waiting: [
    {
      name: 'gatehouse_mails_waiting',
      help: 'Mails that are neither sent nor given up.',
      count: store => store.countWaitingMails(),
    },
  ],
  tables: mailTables,
});
