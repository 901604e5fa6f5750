import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import type { Application } from '../../directory/applications/rules.ts';
import { loginName } from '../../directory/users/login-name.rules.ts';
import type { Account } from '../../directory/users/store.ts';
import { failure } from '../../failures.ts';
import type { Refusal, Request } from '../../platform/http/message.ts';
import type { Services } from '../../services.ts';
import type { Presented } from '../email/codes.ts';
import type { SignUp } from '../email/confirmation.ts';
import { signedUpAccount } from './new-user.ts';
import { isReservedName } from './reserved-names.ts';

export type Created =
  | { readonly kind: 'created'; readonly account: Account }
  | { readonly kind: 'nameTaken' }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** What the person has chosen: on the sign-up page, or on the page of the link. */
interface Chosen {
  readonly username: string | undefined;
  readonly passwordHash: string;
}

/** Whether people can make an account for this application: it allows it, and mails can be sent. */
export function offersSignUp({ config }: Services, application: Application | undefined): boolean {
  return application?.sign_up === true && config.mail !== undefined;
}

/** Creates the account of a confirmed sign-up, once. A name that is taken is told only here, to the owner of a mailbox. */
export async function createAccount(
  services: Services,
  request: Request,
  { waiting }: Presented,
  { email, app }: SignUp,
  chosen: Chosen,
): Promise<Created> {
  const application = await services.registry.application(app);
  if (!offersSignUp(services, application)) {
    return { kind: 'refused', refusal: { failure: failure('signUpNotAllowed'), app } };
  }
  // Without a name of their own people have their address as the name, and they have proved that it is theirs.
  const { username } = chosen;
  if (username !== undefined && (await isReservedName(services, username))) return { kind: 'nameTaken' };
  const account = signedUpAccount(services, { email, ...chosen });
  const { sub } = account;
  const event = requestEvent(services, request, {
    type: 'user.created',
    outcome: 'success',
    actor: userActor(sub),
    subject: sub,
    app,
    details: { reason: 'sign_up' },
  });
  const now = services.clock.now();
  const outcome = await services.store.createConfirmedUser(waiting.tokenHash, account, now, event);
  if (outcome === 'created') {
    services.log.info('signup.succeeded', { request: request.id, app, sub, address: request.address });
    return { kind: 'created', account };
  }
  if (outcome !== 'ended' && outcome.loginName !== loginName(email)) return { kind: 'nameTaken' };
  // Another request was first, or the address got an account in another way.
  return { kind: 'refused', refusal: { failure: failure('mailLinkInvalid'), app } };
}
