import type { MailSettings } from '../../platform/config/mail-settings.ts';
import type { StartJob } from '../../platform/jobs/job.ts';
import type { Services } from '../../services.ts';
import { type Deferred, isMessage, type Message, openEntry } from './queue.ts';
import type { Mail } from './store.ts';
import type { MailOutcome } from './transport.ts';

/** Mails that one process sends at the same time. */
const MAX_CONCURRENT = 10;
const MAX_BATCHES_PER_RUN = 100;
/** Longer than one mail can take. After a crash, another process takes the mail when its lease has expired. */
const LEASE_SECONDS = 180;
const FIRST_RETRY_DELAY_SECONDS = 5;
const MAX_RETRY_DELAY_SECONDS = 3600;

export interface MailSender {
  /** Sends what is due, with as many mails at a time as MAX_CONCURRENT. */
  run(): Promise<void>;
  /** Resolves when no mail is being sent. */
  idle(): Promise<void>;
  stop(): void;
}

/**
 * Sends the mails of the queue (queue.ts). An entry is leased, handled, and then deleted, or due again later. A mail that has not
 * been sent within its time, a day for most, is given up.
 */
export function createMailSender(services: Services): MailSender {
  const { store, clock, config } = services;
  const { mail } = config;
  let stopped = false;
  let running: Promise<void> = Promise.resolve();

  const sendDue = async (settings: MailSettings): Promise<void> => {
    for (let batch = 0; batch < MAX_BATCHES_PER_RUN && !stopped; batch++) {
      const now = clock.now();
      const taken = await store.takeMails(now, now + LEASE_SECONDS, MAX_CONCURRENT);
      await Promise.all(taken.map(each => handle(services, settings, each)));
      if (taken.length === 0) return;
    }
  };
  return {
    run() {
      running = mail ? sendDue(mail) : Promise.resolve();
      return running;
    },
    idle: () => running.catch(() => {}),
    stop() {
      stopped = true;
    },
  };
}

export const sendMails: StartJob = services => {
  const sender = createMailSender(services);
  return {
    run: sender.run,
    stop: () => {
      sender.stop();
      return sender.idle();
    },
  };
};

async function handle(services: Services, settings: MailSettings, mail: Mail): Promise<void> {
  const entry = openEntry(services.ring, mail);
  if (entry && !isMessage(entry)) return makeDeferred(services, mail, entry);
  const outcome = entry ? await send(services, settings, mail, entry) : SEALED_WITH_ANOTHER;
  if (outcome.kind === 'sent') {
    await services.store.finishMail(mail.id);
    services.metrics.mailAttempts.add('sent');
    services.log.info('mail.sent', { mail: mail.id, name: entry?.name, attempts: mail.attempts });
    return;
  }
  return recordFailure(services, mail, entry?.name, outcome);
}

/** A kind that this release does not know comes from a node of a newer one, which makes the mail meanwhile. */
function makeDeferred(services: Services, mail: Mail, entry: Deferred): Promise<void> {
  const make = services.tables.deferredMails.get(entry.kind);
  return make ? make(services, mail.id, entry) : recordFailure(services, mail, entry.kind, OF_ANOTHER_RELEASE);
}

const OF_ANOTHER_RELEASE: Extract<MailOutcome, { kind: 'failed' }> = {
  kind: 'failed',
  reason: 'this release does not know this kind of mail',
  isFinal: false,
};

const SEALED_WITH_ANOTHER: MailOutcome = {
  kind: 'failed',
  reason: 'the mail was sealed with another GATEHOUSE_SECRET',
  isFinal: false,
};

async function send(services: Services, settings: MailSettings, mail: Mail, message: Message): Promise<MailOutcome> {
  const now = services.clock.now();
  if (mail.expiresAt <= now) return { kind: 'failed', reason: 'it is too old', isFinal: true };
  const { to, subject, text, html } = message;
  // Loaded with the first mail, as the library is that it uses.
  const { sendMail } = await import('./transport.ts');
  return sendMail(settings, { id: mail.id, to, subject, text, html, date: mail.createdAt });
}

/** The log has neither recipient nor content: a mail holds links. */
async function recordFailure(
  { store, clock, log, metrics, recorder }: Services,
  { id, attempts, expiresAt }: Mail,
  name: string | undefined,
  { reason, isFinal }: Extract<MailOutcome, { kind: 'failed' }>,
): Promise<void> {
  const delay = Math.min(FIRST_RETRY_DELAY_SECONDS * 2 ** (attempts - 1), MAX_RETRY_DELAY_SECONDS);
  const dueAt = clock.now() + delay;
  if (isFinal || dueAt >= expiresAt) {
    metrics.mailAttempts.add('failed');
    log.error('mail.undelivered', { mail: id, name, attempts, reason });
    const details = { mail: id, ...(name === undefined ? {} : { name }), attempts, reason };
    recorder.record({ type: 'mail.undelivered', outcome: 'failure', actor: { kind: 'system' }, details });
    return store.finishMail(id);
  }
  metrics.mailAttempts.add('postponed');
  log.warn('mail.postponed', { mail: id, name, attempts, reason, delay });
  return store.postponeMail(id, dueAt);
}
