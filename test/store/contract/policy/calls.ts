import type { Account } from '../../../../src/directory/users/store.ts';
import type { PresentedCode } from '../../../../src/oauth/authorization-code/rules.ts';
import type { NewCode } from '../../../../src/oauth/authorization-code/store.ts';
import type { Rotation } from '../../../../src/oauth/refresh/store.ts';
import type { TokenFamily } from '../../../../src/oauth/token/store.ts';
import type { Store } from '../../../../src/store.ts';
import { client, hex } from '../given.ts';
import type { TokenPair } from '../given-tokens.ts';
import { type ForApi, targetOf } from './apis.ts';

/** One operation of the store in a history, with all its values. */
export type Call = { readonly app: string; readonly now: number } & Operation;

type Operation =
  | { readonly kind: 'addCode'; readonly code: NewCode }
  | { readonly kind: 'addTokenFamily'; readonly grant: TokenFamily; readonly tokens: TokenPair }
  | {
      readonly kind: 'redeem';
      readonly codeHash: Uint8Array;
      readonly presented: PresentedCode;
      readonly tokens: TokenPair;
      readonly forApi: ForApi;
    }
  | { readonly kind: 'refresh'; readonly rotation: Rotation; readonly forApi: ForApi }
  | { readonly kind: 'revokeRefreshToken' | 'revokeAccessToken'; readonly hash: Uint8Array; readonly clientId: string }
  | { readonly kind: 'endSession'; readonly sub: string; readonly sid: string }
  | { readonly kind: 'endUserAccess'; readonly sub: string }
  | { readonly kind: 'provisionUser'; readonly account: Account }
  | { readonly kind: 'withdrawConsent'; readonly sub: string; readonly clientId: string }
  | { readonly kind: 'deleteClient' | 'addClient'; readonly clientId: string };

/** The answer of the store, with a successor as text so that answers can be compared. */
export async function perform(store: Store, call: Call): Promise<unknown> {
  const { app, now } = call;
  switch (call.kind) {
    case 'addCode':
      return store.addCode(app, call.code);
    case 'addTokenFamily':
      return store.addTokenFamily(app, call.grant, call.tokens);
    case 'redeem':
      return store.redeemCode(app, call.codeHash, call.presented, { ...call.tokens, target: targetOf(call.forApi) });
    case 'refresh': {
      const outcome = await store.rotateRefreshToken(app, { ...call.rotation, target: targetOf(call.forApi) });
      return 'successor' in outcome ? { ...outcome, successor: hex(outcome.successor) } : outcome;
    }
    case 'revokeRefreshToken':
      return store.revokeRefreshToken(app, call.hash, call.clientId, now);
    case 'revokeAccessToken':
      return store.revokeAccessToken(app, call.hash, call.clientId);
    case 'endSession':
      return store.endSession({ sub: call.sub, sid: call.sid }, now);
    case 'endUserAccess':
      return store.endUserAccess(call.sub, now);
    case 'provisionUser':
      return store.provision([{ kind: 'user', sub: call.account.sub, disabled: call.account.disabled, now }]);
    case 'withdrawConsent':
      return store.withdrawConsent(call.sub, app, call.clientId, now);
    case 'deleteClient':
      return store.deleteClient(app, call.clientId, now);
    case 'addClient':
      return store.provision([{ kind: 'client', app, client: client({ client_id: call.clientId }) }]);
  }
}
