import { currentSession } from '../accounts/sessions.ts';
import type { Request } from '../message.ts';
import { consentPage } from '../pages/consent-page.ts';
import { readScope } from '../protocol/auth-request.ts';
import { parseClaimsRequest, scopesOfClaims } from '../protocol/claims-request.ts';
import type { Client } from '../protocol/client.ts';
import { dialectOf } from '../protocol/dialect.ts';
import { failure } from '../protocol/errors.ts';
import { parseParams } from '../protocol/params.ts';
import type { Scope } from '../protocol/scope.ts';
import type { Page, Services } from '../services.ts';
import { refuseForeignForm } from './own-form.ts';
import { EXPIRED, type OpenedPage, openPage, resume } from './pending-page.ts';

/** /consent: what a client would get, and the user's yes or no (OIDC Core section 3.1.2.4). */
export const showConsent: Page = async (services, request) => {
  const opened = openPage(services, request, parseParams(request.query).get('pending'), 'authorize');
  const asked = opened && (await askedFor(services, request, opened));
  if (!opened || !asked) return EXPIRED;
  const session = await currentSession(services, request);
  // Signed out in the meantime: the authorization endpoint knows what to do.
  if (!session) return resume(services, opened.pending, opened.sealed);
  return consentPage({
    locale: opened.locale,
    application: asked.applicationName,
    client: asked.client.client_name,
    scope: asked.scope,
    user: session.user,
    pending: opened.sealed,
    redirectUri: opened.asked.get('redirect_uri') ?? '',
  });
};

export const submitConsent: Page = async (services, request) => {
  const foreign = refuseForeignForm(services.config, request);
  if (foreign) return foreign;
  const form = parseParams(request.body);
  const opened = openPage(services, request, form.get('pending'), 'authorize');
  const asked = opened && (await askedFor(services, request, opened));
  if (!opened || !asked) return EXPIRED;
  if (form.get('action') !== 'allow') {
    return resume(services, opened.pending, services.pending.advance(opened.pending, { cancelled: true }));
  }
  const session = await currentSession(services, request);
  // Whoever is signed in now must be the one who saw the page.
  if (session?.user.sub !== form.get('sub') || !session) return { failure: failure('signInNeeded') };
  const { sub } = session.user;
  const { app, client, scope } = asked;
  await services.store.addConsent(sub, app, client.client_id, scope, services.clock.now(), request.receivedAt);
  return resume(services, opened.pending, services.pending.advance(opened.pending, { consentedBy: sub }));
};

interface Asked {
  readonly app: string;
  readonly applicationName: string;
  readonly client: Client;
  readonly scope: readonly Scope[];
}

async function askedFor(
  { registry }: Services,
  { receivedAt }: Request,
  { pending, asked }: OpenedPage,
): Promise<Asked | undefined> {
  const { app = '' } = pending;
  const application = await registry.application(app, receivedAt);
  const client = await registry.client(app, asked.get('client_id') ?? '', receivedAt);
  if (!application || !client) return undefined;
  const read = readScope(asked.get('scope'), client, dialectOf(application));
  // The client's registration changed since the request was checked.
  if (read.kind === 'refused') return undefined;
  const claims = parseClaimsRequest(asked.get('claims'), undefined, client.scope);
  const behind = typeof claims === 'string' ? [] : scopesOfClaims(claims);
  return { app, applicationName: application.name, client, scope: [...new Set([...read.scope, ...behind])] };
}
