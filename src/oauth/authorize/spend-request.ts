import type { Application } from '../../directory/applications/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import { failure } from '../../failures.ts';
import type { Refusal } from '../../platform/http/message.ts';
import type { Services } from '../../services.ts';
import { spendPushedRequest } from '../par/pushed-request.ts';
import type { AuthRequest } from './request.rules.ts';

/** Just before the answer: a refusal, where the request has had its answer already. */
export async function spendRequest(
  services: Services,
  application: Application,
  client: Client,
  { pushedId }: AuthRequest,
): Promise<Refusal | undefined> {
  if (pushedId === undefined || client.profile === undefined) return undefined;
  const isFirst = await spendPushedRequest(services, application, client, pushedId);
  return isFirst ? undefined : { failure: failure('requestUriInvalid'), client: client.client_id };
}
