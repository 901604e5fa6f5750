import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import { providerName } from '../../directory/providers/rules.ts';
import { noticeTo } from '../../notify/mail/notices.ts';
import type { Request } from '../../platform/http/message.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import type { Services } from '../../services.ts';
import type { LinkOutcome, NewLink } from './store.ts';

interface LinkContext {
  readonly services: Services;
  readonly request: Request;
  readonly locale: Locale;
  readonly target?: { readonly app: string; readonly client: { readonly client_id: string } } | undefined;
}

/** Makes the link, records it, and tells the user. */
export async function linkPerson(
  { services, request, target, locale }: LinkContext,
  user: Addressee,
  link: NewLink,
): Promise<LinkOutcome> {
  const event = requestEvent(services, request, {
    type: 'user.linked',
    outcome: 'success',
    actor: userActor(link.sub),
    subject: link.sub,
    app: target?.app,
    clientId: target?.client.client_id,
    details: { provider: link.provider },
  });
  const provider = await nameOfProvider(services, link.provider);
  return services.store.linkUser(link, {
    event,
    mail: noticeTo(services, user, { kind: 'linkAdded', provider }, locale),
  });
}

type Addressee = Parameters<typeof noticeTo>[1];

/** What people know it by. One that is gone has its id alone. */
export async function nameOfProvider({ registry }: Services, id: string): Promise<string> {
  return providerName((await registry.providers()).find(each => each.id === id) ?? { id });
}
