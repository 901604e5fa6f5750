import { issuerOf } from '../../directory/applications/rules.ts';
import { currentSession } from '../../people/sessions/sessions.ts';
import { isLoopback } from '../../platform/config/config.ts';
import { GUARDED, header, type Reply, redirect } from '../../platform/http/message.ts';
import { favicon } from '../../platform/ui/assets.ts';
import { chooseLocale } from '../../platform/ui/locale.rules.ts';
import type { Handler, Services } from '../../services.ts';
import { DEMO, demoAuthorizationUrl } from '../demo/demo.ts';
import { hasOwner } from '../first-owner/has-owner.ts';
import { frontPage } from './html.ts';
import { ownClients } from './own-clients.ts';

/** /: the account for a user, the console for an operator, and on a deployment without an owner the way to one. */
export const frontDoor: Handler = async (services, request) => {
  const { store } = services;
  const session = await currentSession(services, request);
  const operator = session && (await store.findOperator(session.user.sub));
  return frontPage({
    locale: chooseLocale(undefined, header(request, 'accept-language')),
    username: session?.user.username,
    isOperator: operator !== undefined && !operator.disabled,
    clients: session ? await ownClients(services, session.user.sub) : [],
    hasOwner: await hasOwner(store),
    hasReference: services.config.apiDocs !== 'off',
    demoUrl: await demoUrl(services),
  });
};

/** Its password is public, so it is for one's own machine. */
async function demoUrl({ config, registry }: Services): Promise<string | undefined> {
  if (!isLoopback(config.baseUrl)) return undefined;
  const client = await registry.client(DEMO.app, DEMO.clientId);
  if (!client) return undefined;
  return demoAuthorizationUrl(issuerOf(config.baseUrl, DEMO.app), config.baseUrl + DEMO.callbackPath);
}

/** A Well-Known URL for Changing Passwords (W3C): where a password manager leads the user. */
export const changePassword: Handler = async ({ config }) =>
  redirect(`${config.baseUrl}/account/security/password`, 302);

const DAY = 'public, max-age=86400';

/** Nothing here is for search engines (RFC 9309). */
export const robots: Handler = async () => document('text/plain; charset=utf-8', 'User-agent: *\nDisallow: /\n');

export const icon: Handler = async () => document(favicon.type, favicon.body);

function document(type: string, body: string | Buffer): Reply {
  return { status: 200, headers: { ...GUARDED, 'content-type': type, 'cache-control': DAY }, body };
}
