/**
 * The server of `npm run bench:anonymous`, in a process of its own, so that its processor time is known. Each message moves its clock by a
 * minute: what is bounded by the minute, such as refusals that are kept for an explanation, is measured with every request. It trusts the
 * address that a request gives itself: no limit of an address hides what the requests of many would cost.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aSigningPair } from '../../test/build/assertion.ts';
import { fixedClock } from '../../test/build/clock.ts';
import { aClient, anApplication, aPublicClient } from '../../test/build/fixture.ts';
import { startTestServer } from '../../test/build/test-server.ts';

const MINUTE_SECONDS = 61;
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';

const outbox = mkdtempSync(join(tmpdir(), 'gatehouse-anonymous-'));
const clock = fixedClock(Math.floor(Date.now() / 1000));
const keys = { jwks: { keys: [aSigningPair('RS256').publicJwk] } };
const server = await startTestServer({
  clock,
  isPasswordCostReal: true,
  env: { MAIL_URL: `file:${outbox}`, LOG_LEVEL: 'warn', TRUSTED_PROXIES: '127.0.0.1' },
  applications: [
    anApplication({
      dynamic_registration: 'open',
      sign_up: true,
      clients: [
        aClient(),
        aPublicClient({ grant_types: ['authorization_code', 'refresh_token', DEVICE_GRANT] }),
        aClient({ client_id: 'jwt', token_endpoint_auth_method: 'private_key_jwt', client_secret: undefined, ...keys }),
        aClient({ client_id: 'exchange', grant_types: [EXCHANGE_GRANT] }),
      ],
    }),
  ],
});
process.on('message', () => {
  clock.advance(MINUTE_SECONDS);
  process.send?.({ now: clock.now() });
});
process.once('disconnect', async () => {
  await server.close();
  rmSync(outbox, { recursive: true });
  process.exit();
});
process.send?.({ base: server.base, now: clock.now() });
