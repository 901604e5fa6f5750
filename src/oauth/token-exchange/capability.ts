import { capability, from, grant } from '../../capability.ts';

/** Token exchange (RFC 8693), where a policy of the application says so. */
export const tokenExchange = capability('oauth/token-exchange', {
  grants: [grant(() => import('./grant.ts'), 'tokenExchange')],
  fields: from(() => import('./fields.ts'), 'tokenExchangeFields'),
  controls: {
    token_exchange: from(() => import('./form.console.ts'), 'tokenExchangeControl'),
  },
});
