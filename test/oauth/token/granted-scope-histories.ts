import { DEVICE_GRANT } from '../../../src/oauth/device/rules.ts';
import { aClient } from '../../build/fixture.ts';
import { fc } from '../../build/random.ts';
import type { TestServer } from '../../build/test-server.ts';
import {
  API_SCOPES,
  type Apis,
  coveredBy,
  type Grant,
  isStandard,
  mayHave,
  SCOPES,
  STANDARD,
  type Wish,
} from './granted-scope-model.ts';

/** Random APIs, clients and steps, for granted-scope.property.test.ts. */
export const NAMES = new Map([
  ['https://orders.example', 'Orders'],
  ['https://stock.example/v1', 'Stock'],
  ['urn:shop:files', 'Files'],
]);
export const IDENTIFIERS = [...NAMES.keys()];
export const CLIENTS = ['web', 'app'] as const;
export type ClientId = (typeof CLIENTS)[number];

const resources = fc.oneof(
  { weight: 3, arbitrary: fc.constant<string[]>([]) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom(...IDENTIFIERS), { minLength: 1, maxLength: 2 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('https://orders.example/', 'https://elsewhere.example').map((one): string[] => [one]),
  },
);
/** Three of four ask for what there is, or nearly everything would be refused. */
const wish = fc.record({
  isModest: fc.nat(3).map(one => one > 0),
  scope: fc.option(fc.shuffledSubarray([...SCOPES], { minLength: 1, maxLength: 2 }), { nil: undefined, freq: 3 }),
  resources,
});
/** One of OpenID Connect at least: an API may lose all others. */
const registered = fc
  .tuple(fc.subarray([...STANDARD], { minLength: 1 }), fc.subarray([...API_SCOPES], { minLength: 2 }))
  .map(([standard, own]): string[] => [...standard, ...own]);
const client = fc.constantFrom(...CLIENTS);
const change = fc.oneof(
  fc.record({ kind: fc.constant('client' as const), client, scope: registered }),
  // What an API loses, and what it gets: also a name that another API of a grant has.
  fc.record({
    kind: fc.constant('scopes' as const),
    api: fc.constantFrom(...IDENTIFIERS),
    names: fc.subarray([...API_SCOPES]),
  }),
  fc.record({ kind: fc.constant('remove' as const), api: fc.constantFrom(...IDENTIFIERS) }),
);
const sometimes = fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: change });
const flow = fc.record({
  ...{ kind: fc.constantFrom('auth' as const, 'par' as const, 'device' as const), client, wish },
  /** The code is redeemed by its verifier alone, so that nothing but the code names the client (row 34). */
  isByVerifier: fc.boolean(),
  isSilent: fc.nat(3).map(one => one === 0),
  action: fc.nat(5).map(one => (one === 0 ? ('deny' as const) : ('allow' as const))),
  /** Before the user is asked, before the answer, and before the token request. */
  changes: fc.tuple(sometimes, sometimes, sometimes),
  resources,
});
const step = fc.oneof(
  { weight: 5, arbitrary: flow },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('refresh' as const), which: fc.nat(), wish }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('machine' as const), client, wish }) },
  { weight: 1, arbitrary: change },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('withdraw' as const), client }) },
);
export type Step<K> = Extract<typeof step extends fc.Arbitrary<infer S> ? S : never, { readonly kind: K }>;
export type RandomWish = Flow['wish'];
export type Change = Step<'client' | 'scopes' | 'remove'>;
export type Flow = Step<'auth' | 'par' | 'device'>;

export const history = fc.record({
  apis: fc.tuple(...IDENTIFIERS.map(() => fc.subarray([...API_SCOPES]))),
  scope: fc.tuple(registered, registered),
  steps: fc.array(step, { minLength: 8, maxLength: 14 }),
});

/** What a modest request leaves out: what the client, or the grant, does not have. */
export function within(
  { isModest, scope, resources }: RandomWish,
  has: (scope: string) => boolean,
  apis: readonly string[],
) {
  if (!isModest) return { scope, resources };
  const left = scope?.filter(has) ?? [];
  return { scope: left.length === 0 ? undefined : left, resources: resources.filter(api => apis.includes(api)) };
}

export const textOf = (scope: string) => `May ${scope}`;

export interface Family extends Grant {
  readonly client: ClientId;
  refreshToken: string;
  isEnded: boolean;
}

/** One application on the server, with what the model knows of it. */
export class History {
  readonly #apis: Map<string, readonly string[]>;
  readonly scope = new Map<ClientId, readonly string[]>();
  readonly families: Family[] = [];
  /** Each line of a page on which the user has pressed "allow". */
  readonly agreed = new Map<ClientId, Set<string>>(CLIENTS.map(one => [one, new Set()]));

  readonly #server: TestServer;
  readonly #sub: string;

  constructor(server: TestServer, sub: string, apis: readonly (readonly string[])[]) {
    this.#server = server;
    this.#sub = sub;
    this.#apis = new Map(IDENTIFIERS.map((api, at) => [api, apis[at] ?? []]));
  }

  get apis(): Apis {
    return this.#apis;
  }

  registeredFor(one: ClientId): readonly string[] {
    return this.scope.get(one) ?? [];
  }

  async begin(scope: readonly (readonly string[])[]): Promise<void> {
    const reader = aClient({ client_id: 'reader', client_secret: 'reader-secret-1', apis: IDENTIFIERS });
    for (const one of CLIENTS) await this.withdraw(one);
    await this.#provision([reader, ...CLIENTS.map((one, at) => this.#register(one, scope[at] ?? []))]);
  }

  #register(one: ClientId, scope: readonly string[]) {
    // A client cannot be registered for what no API has.
    const known = scope.filter(each => isStandard(each) || [...this.apis.values()].flat().includes(each));
    this.scope.set(one, known);
    const grant_types = ['authorization_code', 'refresh_token', 'client_credentials', DEVICE_GRANT] as const;
    const secret = { client_id: one, client_secret: `${one}-secret-1` };
    return aClient({ ...secret, scope: known.join(' '), grant_types: [...grant_types], require_consent: true });
  }

  async change(to: Change | undefined): Promise<void> {
    if (to?.kind === 'remove' && this.#apis.size > 1) this.#apis.delete(to.api);
    if (to?.kind === 'scopes' && this.#apis.has(to.api)) this.#apis.set(to.api, to.names);
    if (to) await this.#provision(to.kind === 'client' ? [this.#register(to.client, to.scope)] : []);
  }

  async #provision(clients: ReturnType<typeof aClient>[]): Promise<void> {
    const apis = [...this.apis].map(([identifier, own]) => ({
      ...{ identifier, name: NAMES.get(identifier) ?? '' },
      ...(identifier.startsWith('urn:') ? { access_token_format: 'jwt' as const } : {}),
      scopes: Object.fromEntries(own.map(one => [one, textOf(one)])),
    }));
    await this.#server.provision({ shop: { apis, clients } });
  }

  async withdraw(one: ClientId): Promise<void> {
    const { store, clock } = this.#server.services;
    await store.withdrawConsent(this.#sub, 'shop', one, clock.now());
    this.agreed.get(one)?.clear();
    for (const family of this.families) family.isEnded ||= family.client === one;
  }

  async stored(one: ClientId): Promise<readonly string[]> {
    const consents = await this.#server.services.store.consentsOf(this.#sub);
    return consents.find(({ app, clientId }) => app === 'shop' && clientId === one)?.scope ?? [];
  }

  /** What the client asks for now. */
  wanted(one: ClientId, wish: RandomWish): Wish {
    return within(wish, each => mayHave(this.apis, this.registeredFor(one), each), [...this.apis.keys()]);
  }

  covered(one: ClientId, wanted: Wish) {
    return coveredBy(this.apis, this.registeredFor(one), wanted);
  }
}
