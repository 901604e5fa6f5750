import { hash } from 'node:crypto';
import { callbackOf } from '../../directory/providers/rules.ts';
import { failure } from '../../failures.ts';
import { type Answer, header, type Request, redirect } from '../../platform/http/message.ts';
import { encodeParams } from '../../platform/http/params.rules.ts';
import type { Services } from '../../services.ts';
import type { ConnectedProvider, Connector, Received } from './connector.ts';
import { failureOf } from './fault.ts';

/**
 * An answer that a provider has posted, too large for an address. The post comes from another site, without the cookies of this one, so it
 * is verified then and there, and what it says travels sealed through a redirect, by which the browser comes back with its cookies:
 *
 *   POST /login/provider/{id}/callback  →  303 /login/provider/{id}/callback?answer=…  →  the sign-in that waits in this browser
 */
export type OpenedAnswer = Received & {
  /** Of an unsolicited one: a hash of the cookie of the browser that brought it. */
  readonly browser?: string | undefined;
};

type SealedAnswer = OpenedAnswer & { readonly expiresAt: number };

/** The browser comes back at once. */
const LIFETIME_SECONDS = 300;
/** What no request asked for is bound to the browser that brought it here: its address alone could be given to another one. */
const POSTED_COOKIE = 'gatehouse_posted';
const BINDING_BYTES = 16;

export async function receivePosted(
  services: Services,
  request: Request,
  provider: ConnectedProvider,
  receive: NonNullable<Connector['receive']>,
): Promise<Answer> {
  const { id, name } = provider;
  const callback = callbackOf(services.config.baseUrl, id);
  const posted = { fields: request.form, origin: header(request, 'origin') };
  const received = await receive({ services, provider, callback }, posted);
  if (received.kind === 'failed' && received.state === undefined) {
    const { kind, reason } = received.fault;
    const { address } = request;
    services.log.info('provider.refused', { request: request.id, provider: id, reason: kind, detail: reason, address });
    return { failure: failure(failureOf(kind)), facts: { provider: { id, name, reason } } };
  }
  const binding =
    received.kind === 'unsolicited' ? services.random.bytes(BINDING_BYTES).toString('base64url') : undefined;
  const browser = binding && fingerprint(binding);
  const answer: SealedAnswer = { ...received, browser, expiresAt: services.clock.now() + LIFETIME_SECONDS };
  const sealed = services.ring.seal('provider answer', Buffer.from(JSON.stringify(answer)), id).toString('base64url');
  const cookies = binding === undefined ? [] : [services.cookies.write(POSTED_COOKIE, binding, LIFETIME_SECONDS)];
  return redirect(`${callback}?${encodeParams([['answer', sealed]])}`, 303, cookies);
}

/** Whether this is the browser in which the answer was posted. */
export function isFromThisBrowser({ cookies }: Services, request: Request, { browser }: OpenedAnswer): boolean {
  const binding = cookies.read(request, POSTED_COOKIE);
  return binding !== undefined && fingerprint(binding) === browser;
}

function fingerprint(binding: string): string {
  return hash('sha256', binding, 'base64url');
}

/** Undefined: it was not sealed here, not for this provider, or too long ago. */
export function openAnswer({ ring, clock }: Services, provider: string, sealed: string): OpenedAnswer | undefined {
  if (!/^[\w-]+$/.test(sealed)) return undefined;
  const plain = ring.open('provider answer', Buffer.from(sealed, 'base64url'), provider);
  if (plain === undefined) return undefined;
  const { expiresAt, ...received } = JSON.parse(plain.toString()) as SealedAnswer;
  return clock.now() < expiresAt ? received : undefined;
}
