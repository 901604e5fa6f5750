import { callbackOf, type Provider, providerName } from '../../directory/providers/rules.ts';
import { openProviderSecrets } from '../../directory/providers/secrets.ts';
import { PAUSED } from '../../directory/providers/state.rules.ts';
import { failure } from '../../failures.ts';
import { type Answer, param, redirect, withCookies } from '../../platform/http/message.ts';
import { formPostPage } from '../../platform/ui/form-post.html.ts';
import { refuseForeignForm } from '../../platform/ui/own-form.ts';
import type { Handler } from '../../services.ts';
import { sessionForPage } from '../sign-in/progress.ts';
import { expired, openVisit, sessionOf, type Visit } from '../sign-in/visit.ts';
import { askProvider } from './ask.ts';
import { beginAttempt } from './attempt.ts';
import type { ConnectedProvider, Connector } from './connector.ts';
import { backWithFault } from './fault.ts';
import { offeredAt } from './offered.ts';
import { federationText } from './text.ts';

/** POST /login/provider/{id}: the browser goes to the provider, for the sign-in that its form names. */
export const startAtProvider: Handler = async (services, request) => {
  const foreign = refuseForeignForm(services.config.baseUrl, request);
  if (foreign) return foreign;
  const visit = await openVisit(services, request, request.form.get('pending'));
  if ('failure' in visit) return visit;
  const stale = await refuseStaleProof(visit);
  if (stale) return stale;
  const { providers } = await offeredAt(visit);
  const provider = providers.find(({ id }) => id === param(request, 'id'));
  return provider ? toProvider(visit, provider) : { failure: failure('notFound') };
};

/** A link is a new way in: it takes a fresh proof of the account, as every other factor does. The account page asks for one. */
async function refuseStaleProof(visit: Visit): Promise<Answer | undefined> {
  const { services, request, signIn } = visit;
  const { ownPage } = signIn.progress;
  if (ownPage?.addsLinkTo === undefined) return undefined;
  const session = sessionForPage(services, request, await sessionOf(visit), { ...ownPage, addsLinkTo: undefined });
  if ('status' in session) return session;
  return session.user.sub === ownPage.addsLinkTo ? undefined : expired({ kind: 'changed' });
}

/** `typed`: the address by which the person came to this provider. */
export async function toProvider(visit: Visit, registered: Provider, typed?: string): Promise<Answer> {
  const { services, request, signIn, demands } = visit;
  const provider = connected(visit, registered);
  if (!services.providerHealth.isAvailable(provider.id)) {
    return backWithFault(visit, provider, { kind: 'unavailable', reason: PAUSED });
  }
  const attempt = beginAttempt(services, request, 'provider');
  if (!attempt) return expired({ kind: 'noCookie' }, visit);
  const { loginHint, uiLocales } = visit.target?.request ?? {};
  const connector = await connectorOf(visit, provider);
  const asked = {
    services,
    provider,
    callback: callbackOf(services.config.baseUrl, provider.id),
    state: attempt.id,
    loginHint: typed ?? loginHint,
    prompt: promptOf(visit),
    maxAge: lesser(provider.max_age, demands.maxAge),
    uiLocales,
  };
  const begun = await askProvider(services, provider.id, () => connector.begin(asked));
  if (begun.kind === 'failed') {
    if (begun.fault.kind === 'unavailable') services.providerHealth.note(provider.id, false);
    return backWithFault(visit, provider, begun.fault);
  }
  const waiting = services.pending.prolonged(signIn.pending);
  const cookies = attempt.keep({ provider: provider.id, signIn: waiting, kept: begun.kept });
  if (!cookies) return { failure: failure('requestTooLarge') };
  if (begun.kind === 'redirect') return redirect(begun.url, 303, cookies);
  const title = federationText[visit.locale].leaving(providerName(provider));
  return withCookies(formPostPage(visit.locale, title, begun.url, Object.entries(begun.fields)), cookies);
}

export function connected({ services }: Pick<Visit, 'services'>, provider: Provider): ConnectedProvider {
  return { ...provider, secrets: openProviderSecrets(services, provider) };
}

/** The compiler knows the types that there are, and a test that each of them has its connector. */
export async function connectorOf({ services }: Pick<Visit, 'services'>, { type }: Provider): Promise<Connector> {
  const load = services.tables.connectors.get(type);
  if (!load) throw new Error(`no capability connects providers of the type ${type}`);
  return load();
}

/** Who is to authenticate anew here does so there, and who wants another account chooses it there. */
function promptOf({ demands, signIn }: Visit): 'login' | 'select_account' | undefined {
  if (demands.prompt.includes('login') || demands.maxAge === 0 || provesAnew(signIn.progress)) return 'login';
  const wantsAnother = demands.prompt.includes('select_account') || signIn.progress.selected === 'another';
  return wantsAnother ? 'select_account' : undefined;
}

/**
 * A page that changes factors, or acts on others, wants a proof of just now. Many providers do not say when somebody authenticated there, and
 * their session alone would let in whoever sits in front of the browser.
 */
function provesAnew({ ownPage }: Visit['signIn']['progress']): boolean {
  return ownPage?.maxAge !== undefined && ownPage.addsLinkTo === undefined;
}

function lesser(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}
