import type { ApplicationSettings } from '../../../src/directory/applications/rules.ts';
import type { Client } from '../../../src/directory/clients/rules.ts';
import { tokenExchangeFaults } from '../../../src/oauth/token-exchange/fields.ts';
import { fc } from '../../build/random.ts';
import type { TestServer } from '../../build/test-server.ts';

/** What happens to a deployment beside its files: the console and the admin API change it, and clients register themselves. */
export type Happening =
  /** An application loses an API, or a scope of one; its clients have it still. */
  | { readonly kind: 'access lost'; readonly application: number; readonly wholeApi: boolean }
  | { readonly kind: 'self-registration'; readonly application: number; readonly origin: NonNullable<Client['origin']> }
  /** A secret is replaced, and the former one is good for some time. */
  | { readonly kind: 'secret'; readonly application: number }
  | { readonly kind: 'deletion'; readonly application: number };

const application = fc.nat(3);

export const anyHistory: fc.Arbitrary<Happening[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('access lost' as const), application, wholeApi: fc.boolean() }),
    fc.record({
      kind: fc.constant('self-registration' as const),
      application,
      origin: fc.constantFrom('dynamic_registration' as const, 'client_id_metadata' as const),
    }),
    fc.record({ kind: fc.constant('secret' as const), application }),
    fc.record({ kind: fc.constant('deletion' as const), application }),
  ),
  { maxLength: 4 },
);

export async function happen({ services: { store, clock } }: TestServer, history: readonly Happening[]): Promise<void> {
  for (const happening of history) {
    const codes = await store.applicationCodes();
    const code = codes[happening.application % Math.max(codes.length, 1)];
    const found = code === undefined ? undefined : await store.findStoredApplication(code);
    if (code === undefined || !found) continue;
    const clients = await store.clientsOf(code);
    switch (happening.kind) {
      case 'access lost': {
        await store.provision([{ kind: 'application', application: withLess(found.application, happening.wholeApi) }]);
        break;
      }
      case 'self-registration': {
        const [like] = clients;
        if (!like) break;
        const client_id = happening.origin === 'client_id_metadata' ? 'https://client.example/meta' : 'registered';
        const client: Client = { ...like, client_id, origin: happening.origin, scope: [] };
        await store.provision([{ kind: 'client', app: code, client }]);
        break;
      }
      case 'secret': {
        const client = clients.find(({ secret_hash, origin }) => secret_hash !== undefined && origin === undefined);
        if (!client) break;
        const former = { hash: 'former', created_at: undefined, expires_at: clock.now() + 60 };
        const changed = { ...client, secret_created_at: clock.now(), previous_secrets: [former] };
        await store.provision([{ kind: 'client', app: code, client: changed }]);
        break;
      }
      case 'deletion':
        await store.provision([{ kind: 'deleteApplication', app: code, now: clock.now() }]);
    }
  }
}

/** As the admin API leaves it: policies that no longer fit are gone too. */
function withLess(application: ApplicationSettings, wholeApi: boolean): ApplicationSettings {
  const [first, ...rest] = application.apis ?? [];
  if (!first) return application;
  const [scope, ...scopes] = Object.entries(first.scopes);
  const less = wholeApi || !scope ? rest : [{ ...first, scopes: Object.fromEntries(scopes) }, ...rest];
  const changed = { ...application, apis: less };
  const unfit = new Set(tokenExchangeFaults(changed).map(({ path }) => path[1]));
  return { ...changed, token_exchange: application.token_exchange?.filter((_, index) => !unfit.has(index)) };
}
