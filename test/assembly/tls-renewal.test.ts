import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, mock } from 'node:test';
import { connect } from 'node:tls';
import { freePort } from '../../scripts/free-port.ts';
import { aCertificate, anAuthority, type Issued } from '../build/client-certificate.ts';
import { startTestServer } from '../build/test-server.ts';

const MINUTE = 60_000;
const names = [{ type: 'ip', value: '127.0.0.1' }] as const;
const authority = await anAuthority();
const first = await aCertificate({ subject: 'CN=first', names: [...names] });
const second = await aCertificate({ subject: 'CN=second', names: [...names] });

describe('a certificate that is renewed while the server runs (TLS_CERT, TLS_KEY)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-renewal-'));
  after(() => rmSync(folder, { recursive: true }));
  const put = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const write = ({ pem, key }: Pick<Issued, 'pem' | 'key'>) => [put('cert.pem', pem), put('key.pem', key)] as const;

  it('is what new connections see; one that is half written changes nothing, and open connections stay', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    const port = await freePort();
    const [TLS_CERT, TLS_KEY] = write(first);
    const env = { TLS_PORT: String(port), TLS_CERT, TLS_KEY, TLS_CLIENT_CA: put('ca.pem', authority.pem) };
    const server = await startTestServer({ env });
    const handshake = async () => {
      const socket = connect({ port, host: '127.0.0.1', ca: [first.pem, second.pem] });
      await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
      return socket;
    };
    const shown = async () => {
      const socket = await handshake();
      const { CN } = socket.getPeerCertificate().subject;
      socket.destroy();
      return CN;
    };
    try {
      const open = await handshake();
      assert.equal(await shown(), 'first');

      put('cert.pem', second.pem);
      mock.timers.tick(MINUTE);
      assert.equal(await shown(), 'first', 'its key is not there yet');
      assert.match(server.logged(), /"event":"tls\.unusable"/);

      put('key.pem', second.key);
      assert.equal(await shown(), 'first', 'files are looked at every minute');
      mock.timers.tick(MINUTE);
      assert.equal(await shown(), 'second');
      assert.match(server.logged(), /"event":"tls\.renewed"/);
      assert(!open.destroyed);
      open.destroy();

      rmSync(join(folder, 'cert.pem'));
      mock.timers.tick(MINUTE);
      assert.equal(await shown(), 'second');
    } finally {
      mock.timers.reset();
      await server.close();
    }
  });
});
