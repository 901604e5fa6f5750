import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import type { Request } from '../../platform/http/message.ts';
import type { Services } from '../../services.ts';
import type { LinkOutcome, NewLink } from './store.ts';

interface Place {
  readonly services: Services;
  readonly request: Request;
  readonly target?: { readonly app: string; readonly client: { readonly client_id: string } } | undefined;
}

/** Makes the link, and records it. */
export function linkPerson({ services, request, target }: Place, link: NewLink): Promise<LinkOutcome> {
  const event = requestEvent(services, request, {
    type: 'user.linked',
    outcome: 'success',
    actor: userActor(link.sub),
    subject: link.sub,
    app: target?.app,
    clientId: target?.client.client_id,
    details: { provider: link.provider },
  });
  return services.store.linkUser(link, { event });
}
