/**
 * The functions that run on a worker of Citus are PL/pgSQL, and a PostgreSQL without Citus runs them too, as if it were the worker. So
 * what is issued, redeemed, rotated, looked up and revoked by them is held to the contract with every `npm test`; that a cluster sends
 * them to the right worker is tested by `npm run test:citus`.
 */
import { after, describe } from 'node:test';
import { stopOwnServer } from '../build/postgres.ts';
import { openInCitusForms } from './citus-forms.ts';
import { clientTokensContract } from './contract/client-tokens.ts';
import { codesContract } from './contract/codes.ts';
import { historiesContract } from './contract/histories.ts';
import { isolationContract } from './contract/isolation.ts';
import { refreshFamiliesContract } from './contract/refresh-families.ts';
import { refreshTokensContract } from './contract/refresh-tokens.ts';
import { tokenExchangesContract } from './contract/token-exchanges.ts';
import { tokensContract } from './contract/tokens.ts';
import { recycled } from './recycled-stores.ts';

const open = recycled(openInCitusForms);
after(stopOwnServer);

describe('the functions for workers of Citus, on PostgreSQL', () => {
  codesContract(open);
  refreshTokensContract(open);
  refreshFamiliesContract(open);
  historiesContract(open);
  tokensContract(open);
  clientTokensContract(open);
  tokenExchangesContract(open);
  isolationContract(open);
});
