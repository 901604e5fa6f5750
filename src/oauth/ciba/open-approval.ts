import { orderedId } from '../../audit/events/ordered-id.ts';
import { clientActor, requestEvent } from '../../audit/events/request-event.ts';
import type { Application } from '../../directory/applications/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import type { Profile } from '../../directory/users/claims.rules.ts';
import { agreedDetails } from '../../people/consent/details.ts';
import type { RequestedAcr } from '../../people/sign-in/acr.rules.ts';
import { keyOf, newCredential } from '../../platform/crypto/credential.ts';
import type { Request } from '../../platform/http/message.ts';
import type { Services } from '../../services.ts';
import { POLL_INTERVAL_SECONDS } from '../polled-grant/rules.ts';
import type { RichAccess } from '../token/requested-access.rules.ts';
import { approvalMail } from './mail.ts';
import { sealPing } from './ping.ts';
import type { Reach } from './rules.ts';

/** What a person is asked to approve. */
export interface WantedApproval {
  readonly application: Application;
  readonly client: Client;
  readonly user: Profile;
  readonly access: RichAccess;
  readonly acr: RequestedAcr | undefined;
  readonly bindingMessage: string | undefined;
  readonly expirySeconds: number;
  /** Of a client in the mode ping: it is told with this token that the person has decided. */
  readonly notificationToken?: string | undefined;
}

export type OpenedApproval =
  | { readonly kind: 'opened'; readonly authReqId: string; readonly interval: number }
  | Exclude<Reach, { kind: 'reaches' }>;

/**
 * Opens a request that waits for a person at /account/approvals, and tells the person by mail. Whoever holds `authReqId` and is the client
 * polls with it. `caller`: of the request that made it necessary, for the event.
 */
export async function openApproval(
  services: Services,
  caller: Pick<Request, 'id' | 'address' | 'headers'>,
  wanted: WantedApproval,
): Promise<OpenedApproval> {
  const { application, client, user, access, acr, bindingMessage, expirySeconds } = wanted;
  const { clock, random, store, log } = services;
  const { code: app } = application;
  const { client_id: clientId } = client;
  const createdAt = clock.now();
  const expiresAt = createdAt + expirySeconds;
  const authReqId = newCredential('backchannel', expiresAt, random);
  const id = orderedId(services, 'apr');
  const { sub } = user;
  const { scope, resources, claims } = access;
  const about = { app, clientId, subject: sub, details: agreedDetails(scope, claims) };
  const event = requestEvent(services, caller, {
    ...{ type: 'approval.requested', outcome: 'success', actor: clientActor(clientId), ...about },
  });
  const reach = await store.openBackchannelRequest(app, {
    ...{ requestHash: keyOf(authReqId), id, clientId, sub, scope, resources, claims, acr, bindingMessage },
    ...{ createdAt, expiresAt, interval: POLL_INTERVAL_SECONDS, event },
    ping: pingFor(services, wanted, id, authReqId),
    mail: approvalMail(services, user, { id, client, application, expiresAt }),
  });
  if (reach.kind !== 'reaches') return reach;
  log.info('approval.requested', { request: caller.id, app, client: clientId, sub, address: caller.address });
  return { kind: 'opened', authReqId, interval: POLL_INTERVAL_SECONDS };
}

function pingFor(
  { ring }: Services,
  { notificationToken: token }: WantedApproval,
  id: string,
  authReqId: string,
): Uint8Array | undefined {
  return token === undefined ? undefined : sealPing(ring, id, { authReqId, token });
}
