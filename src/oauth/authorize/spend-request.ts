import type { Application } from '../../directory/applications/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import { failure } from '../../failures.ts';
import { MAX_LIFETIME_SECONDS } from '../../people/sign-in/pending-request.ts';
import type { SignIn } from '../../people/sign-in/progress.ts';
import type { Refusal } from '../../platform/http/message.ts';
import { isFirstUse } from '../../platform/single-use/first-use.ts';
import type { Services } from '../../services.ts';
import { spendPushedRequest } from '../par/pushed-request.ts';
import type { AuthRequest } from './request.rules.ts';

/**
 * Just before the answer: a refusal, where the request has had its answer already. A sealed request is good for minutes, and its last redirect
 * can be sent again. That gives one more code for what the user can request again at any time, so a plain request is not stored for it (row
 * 26). A pushed request is good once (RFC 9126 sections 4 and 7.3), and so is a consent to authorization details (RFC 9396 section 11.1).
 */
export async function spendRequest(
  services: Services,
  application: Application,
  client: Client,
  { pushedId, claims }: AuthRequest,
  signIn: SignIn | undefined,
): Promise<Refusal | undefined> {
  const { client_id, profile } = client;
  if (pushedId !== undefined && profile !== undefined) {
    const isFirst = await spendPushedRequest(services, application, client, pushedId);
    return isFirst ? undefined : { failure: failure('requestUriInvalid'), client: client_id };
  }
  const isSingle = pushedId !== undefined || profile !== undefined || claims.authorization_details !== undefined;
  if (!isSingle || !signIn || (await isFirstAnswer(services, signIn))) return undefined;
  return { failure: failure('pendingRequestExpired'), client: client_id, facts: { pending: { kind: 'answered' } } };
}

/** However often a sealed request is prolonged, all its forms end within its longest life. */
function isFirstAnswer(services: Services, { pending, progress }: SignIn): Promise<boolean> {
  const usedAt = { time: pending.expiresAt, within: MAX_LIFETIME_SECONDS };
  return isFirstUse(services, 'authorization', [progress.id], usedAt);
}
