import { issuerOf } from '../../directory/applications/rules.ts';
import { initiateLoginUrl } from '../../directory/clients/initiate-login.rules.ts';
import { isSelfRegistered } from '../../directory/clients/rules.ts';
import type { Services } from '../../services.ts';

export interface OwnClient {
  readonly name: string;
  /** Where a login at it begins. */
  readonly url: string;
}

/**
 * The clients that have access to something of a user, and that say where a login begins (OpenID Connect Core section 4). Only those that
 * an operator has set: this page vouches for what it links to.
 */
export async function ownClients(services: Services, sub: string): Promise<OwnClient[]> {
  const { store, clock, registry, config } = services;
  const known = [...(await store.consentsOf(sub)), ...(await store.grantsOf(sub, clock.now()))];
  const keys = new Map(known.map(({ app, clientId }) => [`${app} ${clientId}`, { app, clientId }]));
  const found = await Promise.all(
    [...keys.values()].map(async ({ app, clientId }) => {
      const client = await registry.client(app, clientId);
      if (!client || isSelfRegistered(client)) return [];
      const url = initiateLoginUrl(client, issuerOf(config.baseUrl, app));
      return url === undefined ? [] : [{ name: client.client_name, url }];
    }),
  );
  return found.flat().sort((one, other) => (one.name < other.name ? -1 : 1));
}
