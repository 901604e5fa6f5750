import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import { failure } from '../../failures.ts';
import { resetPasswordMail } from '../../notify/mail/messages.ts';
import { newMail } from '../../notify/mail/queue.ts';
import type { Refusal, Request } from '../../platform/http/message.ts';
import { refuseForeignForm } from '../../platform/ui/own-form.ts';
import type { Handler, Services } from '../../services.ts';
import { newResetToken, RESET_LINK_SECONDS, resetTokenHash } from '../password/reset-token.ts';
import { localeOf } from '../second-factor/page.ts';
import { mailTokenHash } from './confirmation.ts';
import { emailUndonePage, undoEmailPage } from './html.ts';
import type { EmailUndo } from './undo.store.ts';

/** /undo-email: the link that the former address got. Opening it changes nothing: programs that check mails do so too. */
export const showUndoEmail: Handler = async (services, request) => {
  const token = request.queryParams.get('token') ?? '';
  const undo = await findUndo(services, token);
  return undo ? undoEmailPage({ locale: localeOf(request), token, ...undo }) : LINK_INVALID;
};

export const submitUndoEmail: Handler = async (services, request) => {
  const foreign = refuseForeignForm(services.config.baseUrl, request);
  if (foreign) return foreign;
  const token = request.form.get('token') ?? '';
  const undo = await findUndo(services, token);
  if (!undo) return LINK_INVALID;
  const { store, clock, log } = services;
  const { sub } = undo;
  const event = requestEvent(services, request, {
    type: 'user.email.restored',
    outcome: 'success',
    actor: userActor(sub),
    subject: sub,
  });
  const act = { event, reset: resetOf(services, request, undo) };
  const isUndone = await store.undoEmailChange(mailTokenHash(token), clock.now(), act);
  if (!isUndone) return { ...LINK_INVALID, sub };
  log.info('email.restored', { request: request.id, sub, address: request.address });
  return emailUndonePage(localeOf(request));
};

const LINK_INVALID: Refusal = { failure: failure('mailLinkInvalid') };

function findUndo({ store, clock }: Services, token: string): Promise<EmailUndo | undefined> {
  return store.findEmailUndo(mailTokenHash(token), clock.now());
}

function resetOf(services: Services, request: Request, { username, email }: EmailUndo) {
  const { random, clock, config } = services;
  const token = newResetToken(random);
  const content = resetPasswordMail({ locale: localeOf(request), username, baseUrl: config.baseUrl }, token);
  return {
    tokenHash: resetTokenHash(token),
    expiresAt: clock.now() + RESET_LINK_SECONDS,
    mail: newMail(services, { ...content, name: 'reset password', to: email }, RESET_LINK_SECONDS),
  };
}
