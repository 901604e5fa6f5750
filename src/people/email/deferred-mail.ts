import { orderedId } from '../../audit/events/ordered-id.ts';
import { loginName } from '../../directory/users/login-name.rules.ts';
import { type Asked, newDeferredMail, newMail, type Sealing } from '../../notify/mail/queue.ts';
import type { NewMail } from '../../notify/mail/store.ts';
import type { Services } from '../../services.ts';
import {
  CONFIRMATION_SECONDS,
  type Confirmation,
  mailTokenHash,
  newEmailCode,
  newMailToken,
  sealConfirmation,
} from './confirmation.ts';
import { addressTakenMail, confirmAddressMail } from './mails.ts';

/** A request for a code and a link that confirm an address, before anybody has looked whose it is. */
export interface RequestedConfirmation extends Asked {
  readonly kind: 'emailConfirmation';
  /** The id of the pending request. */
  readonly id: string;
  readonly confirmation: Confirmation;
}

export function newRequestedConfirmation(sealing: Sealing, request: Omit<RequestedConfirmation, 'kind'>): NewMail {
  const entry = { ...request, kind: 'emailConfirmation' };
  return newDeferredMail(sealing, orderedId(sealing, 'cnf'), entry, CONFIRMATION_SECONDS);
}

/** For one sign-in, while the newest is good: the first, and two more where it did not arrive. */
const MAX_MAILS = 3;
/** For one address: its owner so many, and all others together. At least one whose link works is in the mailbox, which is not flooded. */
const MAX_MAILS_OF_ADDRESS = 5;

/** The second half of a request to confirm an address: looks whose it is, and makes the mail with code and link, or the one without. */
export async function startEmailConfirmation(
  services: Services,
  entryId: string,
  { id, confirmation, locale, requestId }: RequestedConfirmation,
): Promise<void> {
  const { store, clock, config, random, ring, registry, log } = services;
  const { email, purpose, app } = confirmation;
  const application = app === undefined ? undefined : (await registry.application(app))?.name;
  const sent = { locale, baseUrl: config.baseUrl, application };
  const secrets = { code: newEmailCode(random), token: newMailToken('confirmation', random) };
  const mailOf = (name: string, content: ReturnType<typeof addressTakenMail>) =>
    newMail(services, { ...content, name, to: email }, CONFIRMATION_SECONDS);
  const now = clock.now();
  const name = loginName(email) ?? '';
  const outcome = await store.startEmailConfirmation(
    {
      id,
      sub: purpose === 'sign-up' ? undefined : confirmation.sub,
      loginName: name,
      addressKey: ring.hashOfLoginName(name),
      tokenHash: mailTokenHash(secrets.token),
      sealed: sealConfirmation(ring, id, { ...confirmation, code: secrets.code }),
      expiresAt: now + CONFIRMATION_SECONDS,
      maxMails: MAX_MAILS,
      maxMailsOfAddress: MAX_MAILS_OF_ADDRESS,
      mail: mailOf('confirm address', confirmAddressMail(sent, purpose, secrets)),
      takenMail: mailOf('address taken', addressTakenMail(sent, purpose)),
      requestedBy: entryId,
    },
    now,
  );
  if (outcome === 'limited') log.info('confirmation.refused', { request: requestId, app });
}
