import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { freePort } from '../../scripts/free-port.ts';
import { createWebhookSender } from '../../src/notify/webhooks/job.ts';
import { startTestServer } from '../build/test-server.ts';
import { deliveriesOf, sealer, subscribe } from '../build/webhooks.ts';
import { blocksOf } from './pages/page.ts';
import type { Program } from './pages/program.ts';

const PAGE = new URL('../../docs/webhooks.md', import.meta.url);

/** The only program of docs/webhooks.md in this language, on a port of this run. */
export function pageProgram(language: string, port: number): string {
  const [found, ...more] = blocksOf(readFileSync(PAGE, 'utf8')).filter(block => block.language === language);
  assert(found && more.length === 0, `webhooks.md has one block in ${language}`);
  return found.text.replace(/\b4000\b/g, String(port));
}

/** The receiver takes what the server sends, and neither a changed body nor a request without a signature. */
export async function assertReceives(
  start: (setting: { readonly secret: string; readonly port: number }) => Promise<Program>,
): Promise<void> {
  const server = await startTestServer({ env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' } });
  const port = await freePort();
  const address = `http://127.0.0.1:${port}/`;
  const { id, secret } = await subscribe(server, address);
  const program = await start({ secret, port });
  try {
    const [event] = await sealer(server)(1);
    const sender = createWebhookSender(server.services);
    await sender.run();
    await sender.idle();
    const [delivery] = await deliveriesOf(server, id);
    assert.deepEqual([delivery?.state, delivery?.status], ['delivered', 204]);
    assert.match(program.printed(), new RegExp(`user\\.login\\.succeeded ${event}`));
    const now = String(Math.floor(Date.now() / 1000));
    const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': now, 'webhook-signature': 'v1,AAAA' };
    for (const sent of [headers, {}]) {
      const refused = await fetch(address, { method: 'POST', headers: sent, body: delivery?.body ?? '' });
      assert.equal(refused.status, 401);
    }
  } finally {
    await program.close();
    await server.close();
  }
}
