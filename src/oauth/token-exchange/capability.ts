import { capability, grant } from '../../capability.ts';
import { hasTokenExchange, TOKEN_EXCHANGE } from './rules.ts';
import { tokenExchangeTables } from './tables.ts';

/** Token exchange (RFC 8693), where a policy of the application says so. */
export const tokenExchange = capability('oauth/token-exchange', {
  grants: {
    [TOKEN_EXCHANGE]: grant(() => import('./grant.ts'), 'tokenExchange', {
      isConfidential: true,
      isOffered: hasTokenExchange,
    }),
  },
  tables: tokenExchangeTables,
});
