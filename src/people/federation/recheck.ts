import type { Provider } from '../../directory/providers/rules.ts';
import type { Services } from '../../services.ts';
import { secondsOf } from '../ldap/settings.rules.ts';
import { connected } from './begin.ts';

/** A sign-in that goes on, such as by refreshing its tokens. */
export interface LastingSignIn {
  readonly sub: string;
  readonly amr: readonly string[];
  readonly authTime: number;
}

export interface Gone {
  /** The id of the provider. */
  readonly provider: string;
  readonly reason: string;
}

/**
 * Why somebody who signed in with a provider is not let in there any more (`recheck`). Whoever signed in here costs nothing, nor does anybody
 * where no provider is to be asked. A provider that does not answer ends no sign-in: its outage would sign everybody out.
 */
export async function findGone(services: Services, signIn: LastingSignIn): Promise<Gone | undefined> {
  if (!signIn.amr.includes('fed')) return undefined;
  const due = (await services.registry.providers()).filter(provider => isDue(services, provider, signIn));
  if (due.length === 0) return undefined;
  const links = await services.store.linksOf(signIn.sub);
  for (const provider of due) {
    const link = links.find(each => each.provider === provider.id);
    const gone = link && (await askAbout(services, provider, link.subject));
    if (gone === 'unknown') continue;
    if (gone) return gone;
    services.recheckedPeople.set(keyOf(provider, signIn.sub), services.clock.now());
  }
  return undefined;
}

/** The same for somebody who signs in here otherwise, by a password or passkey of this server. */
export async function findGoneFrom(
  services: Services,
  sub: string,
  providers: readonly Provider[],
): Promise<Gone | undefined> {
  const links = await services.store.linksOf(sub);
  for (const { provider: id, subject } of links) {
    const provider = providers.find(each => each.id === id);
    const gone = provider && (await askAbout(services, provider, subject));
    if (gone && gone !== 'unknown') return gone;
  }
  return undefined;
}

function keyOf({ id }: Provider, sub: string): string {
  return `${id} ${sub}`;
}

/** Each node asks for itself: what it has learnt waits in its memory. */
function isDue({ clock, recheckedPeople }: Services, provider: Provider, { sub, authTime }: LastingSignIn): boolean {
  const { recheck } = provider;
  if (recheck === undefined) return false;
  const last = Math.max(authTime, recheckedPeople.get(keyOf(provider, sub)) ?? 0);
  return clock.now() - last >= secondsOf(recheck);
}

async function askAbout(
  services: Services,
  registered: Provider,
  subject: string,
): Promise<Gone | 'unknown' | undefined> {
  const { id, type } = registered;
  const checker = await services.tables.passwordCheckers.get(type)?.();
  if (!checker?.isStillThere || !services.providerHealth.isAvailable(id)) return 'unknown';
  const provider = connected({ services }, registered);
  const answer = await checker.isStillThere({ services, provider, subject });
  services.providerHealth.note(id, answer.kind !== 'failed' || answer.fault.kind !== 'unavailable');
  if (answer.kind === 'there') return undefined;
  if (answer.kind === 'gone') return { provider: id, reason: answer.reason };
  const { kind: reason, reason: detail } = answer.fault;
  services.log.info('provider.refused', { provider: id, reason, detail });
  return 'unknown';
}
