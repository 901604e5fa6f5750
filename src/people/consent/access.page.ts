import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import { issuerOf } from '../../directory/applications/rules.ts';
import { initiateLoginUrl } from '../../directory/clients/initiate-login.rules.ts';
import { scopesOfClaims } from '../../oauth/authorize/claims-request.rules.ts';
import { everyScope, isStandardScope, type Scope } from '../../oauth/token/scope.rules.ts';
import type { Answer, Request } from '../../platform/http/message.ts';
import type { Handler, Services } from '../../services.ts';
import { presentSession, toPlace } from '../account/frame.ts';
import { agentsOwnedBy } from '../agents/owned.ts';
import { localeOf } from '../second-factor/page.ts';
import { senderOf } from '../sessions/page.ts';
import type { LiveSession } from '../sessions/store.ts';
import { type AccessView, accessPage } from './access.html.ts';
import { consentedScopes } from './rules.ts';
import { scopeTexts } from './scope-text.ts';

/** /account/access: the clients that can see something of the user, with or without a consent; the user can withdraw it. */
const PATH = '/account/access';

export const showAccess: Handler = async (services, request) => {
  const session = await presentSession(services, request, PATH);
  if ('status' in session) return session;
  const access = await accessOf(services, session.user.sub);
  const shown = await Promise.all(access.map(each => inWords(services, request, each)));
  const owned = await agentsOwnedBy(services, session.user, 1);
  return accessPage(localeOf(request), shown, owned.length > 0);
};

async function inWords({ registry, config }: Services, request: Request, access: Access): Promise<AccessView> {
  const { app, clientId, scope } = access;
  const application = await registry.application(app);
  const client = await registry.client(app, clientId);
  return {
    ...access,
    scope: scopeTexts(localeOf(request), application ?? {}, scope),
    applicationName: application?.name ?? app,
    clientName: client?.client_name ?? clientId,
    startUrl: client && initiateLoginUrl(client, issuerOf(config.baseUrl, app)),
  };
}

export const submitAccess: Handler = async (services, request) => {
  const session = await senderOf(services, request);
  return 'failure' in session ? session : withdrawAccess(services, request, session);
};

/** A form that names a client which has no access to this user changes nothing. */
async function withdrawAccess(services: Services, request: Request, session: LiveSession): Promise<Answer> {
  const { sub } = session.user;
  const form = request.form;
  const app = form.get('app');
  const clientId = form.get('withdraw');
  if (app !== undefined && clientId !== undefined) {
    const who = { outcome: 'success', actor: userActor(sub), subject: sub } as const;
    const event = requestEvent(services, request, { type: 'consent.withdrawn', ...who, app, clientId });
    await services.store.withdrawConsent(sub, app, clientId, services.clock.now(), event);
  }
  return toPlace(services, PATH);
}

export interface Access {
  readonly app: string;
  readonly clientId: string;
  readonly scope: readonly Scope[];
  readonly since: number;
  /** There is a consent that the server remembers. */
  readonly isAgreed: boolean;
}

/** Each client once, with all that it may see, and since when it may see something. */
async function accessOf({ store, clock, registry }: Services, sub: string): Promise<Access[]> {
  const consents = await store.consentsOf(sub);
  const grants = await store.grantsOf(sub, clock.now());
  const applications = await Promise.all(grants.map(({ app }) => registry.application(app)));
  const all: Access[] = [
    ...consents.map(({ givenAt, ...consent }) => ({ ...consent, since: givenAt, isAgreed: true })),
    ...grants.map(({ claims, resources, ...grant }, at) => ({
      ...grant,
      scope: [...consentedScopes(applications[at] ?? {}, grant.scope, resources), ...scopesOfClaims(claims)],
      isAgreed: false,
    })),
  ];
  const clients = new Map<string, Access>();
  for (const one of all) {
    const key = `${one.app} ${one.clientId}`;
    clients.set(key, merged(clients.get(key), one));
  }
  return [...clients.values()];
}

function merged(known: Access | undefined, one: Access): Access {
  const scope = new Set([...(known?.scope ?? []), ...one.scope]);
  return {
    app: one.app,
    clientId: one.clientId,
    scope: [...everyScope.filter(each => scope.has(each)), ...[...scope].filter(each => !isStandardScope(each))],
    since: Math.min(known?.since ?? one.since, one.since),
    isAgreed: known?.isAgreed || one.isAgreed,
  };
}
