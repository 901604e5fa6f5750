import { capability, from, grant } from '../../capability.ts';
import { hasTokenExchange, TOKEN_EXCHANGE } from './rules.ts';
import { tokenExchangeTables } from './tables.ts';

/** Token exchange (RFC 8693), where a policy of the application says so. */
export const tokenExchange = capability('oauth/token-exchange', {
  grants: {
    [TOKEN_EXCHANGE]: grant(() => import('./grant.ts'), 'tokenExchange', {
      isConfidential: true,
      isOffered: hasTokenExchange,
      label: {
        en: 'Token exchange: an API gets tokens for another one, as the policies of the application say',
        zh: '令牌交换：API 按应用的策略获取用于其他 API 的令牌',
      },
    }),
  },
  tables: tokenExchangeTables,
  fields: from(() => import('./fields.ts'), 'tokenExchangeFields'),
  controls: {
    token_exchange: from(() => import('./form.console.ts'), 'tokenExchangeControl'),
  },
});
