import { clientActor, requestEvent } from '../../audit/events/request-event.ts';
import { hostOf } from '../../directory/client-id-metadata/rules.ts';
import { type Client, isSelfRegistered, MAX_SELF_REGISTERED_CLIENTS } from '../../directory/clients/rules.ts';
import { failure } from '../../failures.ts';
import { isLoopbackHost } from '../../oauth/authorize/redirect-uri.rules.ts';
import type { Refusal } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import type { Target, Visit } from '../sign-in/visit.ts';
import { selfRegisteredText } from './text.ts';

/** `redirectUri`: undefined for a device, which gets its answer by itself. */
export function selfRegisteredWarning(locale: Locale, client: Client, redirectUri?: string): Html | undefined {
  if (!isSelfRegistered(client)) return undefined;
  const text = selfRegisteredText[locale];
  const { client_id: clientId, origin } = client;
  const from = origin === 'client_id_metadata' ? text.document(hostOf(clientId)) : text.registration;
  const returns = redirectUri !== undefined && returnText(locale, redirectUri);
  return html`<div class="offer">
<p>${from}</p>${returns && html`\n<p>${returns}</p>`}
</div>`;
}

function returnText(locale: Locale, redirectUri: string): string {
  const { returnsHere, returnsTo } = selfRegisteredText[locale];
  return isOnDevice(redirectUri) ? returnsHere : returnsTo(hostOf(redirectUri));
}

/** A loopback address or a private scheme (RFC 8252 section 7). */
function isOnDevice(redirectUri: string): boolean {
  const url = URL.parse(redirectUri);
  return url?.protocol !== 'https:' || isLoopbackHost(url.hostname);
}

/** It is kept for as long as somebody uses it. One of a document is stored with its first user. */
export async function noteClientUse(
  { services, request }: Pick<Visit, 'services' | 'request'>,
  { app, client }: Pick<Target, 'app' | 'client'>,
): Promise<Refusal | undefined> {
  if (!isSelfRegistered(client)) return undefined;
  const { store, clock } = services;
  const { client_id: clientId, origin } = client;
  const created = requestEvent(services, request, {
    ...{ type: 'client.created', outcome: 'success', actor: clientActor(clientId), app, clientId, subject: clientId },
    details: { origin },
  });
  const use = { now: clock.now(), maxClients: MAX_SELF_REGISTERED_CLIENTS, created };
  const noted = await store.noteClientUse(app, client, use);
  return noted === 'full' ? { failure: failure('tooManyClients'), app, client: clientId } : undefined;
}
