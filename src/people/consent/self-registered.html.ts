import { clientActor, requestEvent } from '../../audit/events/request-event.ts';
import { hostOf } from '../../directory/client-id-metadata/rules.ts';
import { type Client, isSelfRegistered, MAX_SELF_REGISTERED_CLIENTS } from '../../directory/clients/rules.ts';
import { failure } from '../../failures.ts';
import { isLoopbackHost } from '../../oauth/authorize/redirect-uri.rules.ts';
import type { Refusal } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import type { Target, Visit } from '../sign-in/visit.ts';

/** What pages say of a self-registered client before somebody agrees: its name is its own word, and only hosts can be checked. */
interface Words {
  readonly document: (host: string) => string;
  readonly registration: string;
  readonly returnsTo: (host: string) => string;
  readonly returnsHere: string;
}

const WORDS: Readonly<Record<Locale, Words>> = {
  en: {
    document: host => `This client gave itself its name. It is published at ${host}.`,
    registration: 'This client gave itself its name and registered itself. Nobody has checked who runs it.',
    returnsTo: host => `You will be sent to ${host}.`,
    returnsHere:
      'You will be sent to a program on this device. Any program can claim to be this client: allow it only if you started it just now.',
  },
  zh: {
    document: host => `此客户端的名称由其自己填写。它发布于 ${host}。`,
    registration: '此客户端自行注册，名称由其自己填写。没有人核实过其运营者。',
    returnsTo: host => `您将被带到 ${host}。`,
    returnsHere: '您将被带到本设备上的一个程序。任何程序都可以冒充此客户端：请仅在您刚刚启动它时才允许。',
  },
};

/** `redirectUri`: undefined for a device, which gets its answer by itself. */
export function selfRegisteredWarning(locale: Locale, client: Client, redirectUri?: string): Html | undefined {
  if (!isSelfRegistered(client)) return undefined;
  const words = WORDS[locale];
  const { client_id: clientId, origin } = client;
  const from = origin === 'client_id_metadata' ? words.document(hostOf(clientId)) : words.registration;
  const returns = redirectUri !== undefined && returnText(words, redirectUri);
  return html`<div class="offer">
<p>${from}</p>${returns && html`\n<p>${returns}</p>`}
</div>`;
}

function returnText({ returnsHere, returnsTo }: Words, redirectUri: string): string {
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
  const noted = await store.noteClientUse(app, client, use, request.receivedAt);
  return noted === 'full' ? { failure: failure('tooManyClients'), app, client: clientId } : undefined;
}
