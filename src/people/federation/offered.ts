import { offeredOf, type Provider, providerName } from '../../directory/providers/rules.ts';
import type { Target, Visit } from '../sign-in/visit.ts';

/** The ways of a sign-in beside the steps: buttons of identity providers, and whether passwords and passkeys are taken. */
export interface Offered {
  readonly providers: readonly Provider[];
  /** Those that are asked with what is typed into the form, after the accounts here. */
  readonly directories: readonly Provider[];
  readonly local: boolean;
}

/** What of a visit says what is offered. */
export interface OfferPlace extends Pick<Visit, 'services'> {
  readonly target: Pick<Target, 'application'> | undefined;
}

/**
 * Those of the application. The account page and the console belong to none: there everybody finds the way that they know. An application
 * without providers costs nothing.
 */
export async function offeredAt({ services, target }: OfferPlace): Promise<Offered> {
  if (!target) return sorted(services, await services.registry.providers(), true);
  const { providers = [], local_sign_in = true } = target.application;
  if (providers.length === 0) return { providers: [], directories: [], local: true };
  const found = offeredOf(await services.registry.providers(), target.application);
  // Somebody has to be able to sign in where the last provider is gone.
  return sorted(services, found, local_sign_in || found.length === 0);
}

function sorted({ tables }: OfferPlace['services'], all: readonly Provider[], local: boolean): Offered {
  const isDirectory = ({ type }: Provider) => tables.passwordCheckers.has(type);
  return { providers: all.filter(each => !isDirectory(each)), directories: all.filter(isDirectory), local };
}

/** Of the deployment, whichever application offers them. From the cache. */
export async function allDirectories({
  registry,
  tables,
}: Pick<OfferPlace['services'], 'registry' | 'tables'>): Promise<readonly Provider[]> {
  return (await registry.providers()).filter(({ type }) => tables.passwordCheckers.has(type));
}

/** For the page: browsers apply `form-action` to where a form is redirected to, and the address is only known once it is asked for. */
export function formTargetsOf(providers: readonly Provider[]): readonly string[] {
  return providers.length === 0 ? [] : ['https:', ...providers.flatMap(plainTargetsOf)];
}

/** Those of the operator's own machine and network may be plain http. */
function plainTargetsOf({ issuer, metadata_url, metadata }: Provider): readonly string[] {
  const isPlain = [issuer, metadata_url].some(address => address?.startsWith('http:'));
  return isPlain || /Location=["']http:/.test(metadata ?? '') ? ['http:'] : [];
}

export interface ProviderButton {
  readonly id: string;
  readonly name: string;
  readonly isAvailable: boolean;
}

export function buttonsOf({ services }: Pick<Visit, 'services'>, providers: readonly Provider[]): ProviderButton[] {
  return providers.map(provider => ({
    id: provider.id,
    name: providerName(provider),
    isAvailable: services.providerHealth.isAvailable(provider.id),
  }));
}
