import { orderedId } from '../../audit/events/ordered-id.ts';
import type { MailDestination, MailSettings } from '../../platform/config/mail-settings.ts';
import type { Clock, Random } from '../../platform/deps.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { testMail } from './messages.ts';
import { sendMail, type TransportFault } from './transport.ts';

/** What became of a test mail, at once: it goes past the queue, so that the operator sees the answer of the mail server. */
export interface TestedMail {
  readonly to: string;
  /** The mail server with its port, or the folder. */
  readonly destination: string;
  /** `written`: into the folder, where nobody gets it. */
  readonly outcome: 'accepted' | 'written' | 'refused';
  /** What the mail server answered, or why it could not be asked. */
  readonly answer: string;
  /** Of one that was refused: what to look at. */
  readonly fault?: TransportFault;
}

interface Testing {
  readonly clock: Clock;
  readonly random: Random;
  readonly config: { readonly baseUrl: string };
}

/** A person waits for it. A mail server that is so slow is told as one that does not answer. */
const TIMEOUT_MS = 20_000;

export async function sendTestMail(
  deps: Testing,
  settings: MailSettings,
  to: string,
  locale: Locale,
): Promise<TestedMail> {
  const { clock, config } = deps;
  const destination = nameOfDestination(settings.destination);
  const mail = { ...testMail(locale, config.baseUrl), id: orderedId(deps, 'eml'), to, date: clock.now() };
  const outcome = await inTime(sendMail(settings, mail));
  if (outcome.kind === 'sent') {
    const isWritten = settings.destination.kind === 'file';
    return { to, destination, outcome: isWritten ? 'written' : 'accepted', answer: outcome.answer ?? '' };
  }
  const { reason, answer = reason, fault = 'other' } = outcome;
  return { to, destination, outcome: 'refused', answer, fault };
}

/** Without user and password. */
export function nameOfDestination(destination: MailDestination): string {
  if (destination.kind === 'file') return destination.folder;
  const { host, port } = destination;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

type Outcome = Awaited<ReturnType<typeof sendMail>>;

async function inTime(sending: Promise<Outcome>): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const reason = `no answer within ${TIMEOUT_MS / 1000} s`;
  const timer = setTimeout(() => resolve({ kind: 'failed', reason, isFinal: false, fault: 'connection' }), TIMEOUT_MS);
  try {
    return await Promise.race([sending, promise]);
  } finally {
    clearTimeout(timer);
  }
}
