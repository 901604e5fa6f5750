import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { freePort } from '../../scripts/free-port.ts';
import { aCertificate, anAuthority, fetchWith } from '../build/client-certificate.ts';
import { startInProcess } from './run.ts';
import { useStart } from './start-fixture.ts';

const authority = await anAuthority();
const ofServer = await aCertificate({ subject: 'CN=127.0.0.1', names: [{ type: 'ip', value: '127.0.0.1' }] });
const ofClient = await aCertificate({ issuer: authority });

describe('npm start with TLS_PORT', () => {
  const fixture = useStart();
  const written = (name: string, text: string) => {
    const path = fixture.folder.file(name);
    writeFileSync(path, text);
    return path;
  };
  async function settings(over: Record<string, string> = {}) {
    const port = await freePort();
    const files = { TLS_CERT: written('c.pem', ofServer.pem), TLS_KEY: written('k.pem', ofServer.key) };
    const TLS_CLIENT_CA = written('a.pem', authority.pem);
    return { port, env: { ...files, TLS_PORT: String(port), TLS_CLIENT_CA, GATEHOUSE_DEMO: 'true', ...over } };
  }

  it('serves both ports, with a certificate of the caller and without, and ends', async () => {
    const { port, env } = await settings();
    const server = await fixture.start(env);
    const path = '/api/v1/authorize/demo/oauth2/.well-known/openid-configuration';
    for (const shown of [undefined, ofClient]) {
      const answered = await fetchWith(shown, ofServer.pem)(`https://127.0.0.1:${port}${path}`);
      assert.equal(answered.status, 200);
    }
    const document = (await (await fixture.discovery()).json()) as Record<string, Record<string, string>>;
    assert.match(document.mtls_endpoint_aliases?.token_endpoint ?? '', new RegExp(`^https://127\\.0\\.0\\.1:${port}/`));
    assert.equal(await server.stop(), 0);
  });

  it('takes TLS 1.2 with the cipher suites of BCP 195, and nothing older (FAPI 2.0 Security Profile section 5.2)', async () => {
    const { port, env } = await settings();
    await fixture.start(env);
    const negotiated = (options: object) =>
      new Promise<string>(resolve => {
        const socket = connectTls({ port, host: '127.0.0.1', ca: ofServer.pem, ...options }, () => {
          resolve(`${socket.getProtocol()} ${socket.getCipher().name}`);
          socket.destroy();
        });
        socket.on('error', error => resolve((error as NodeJS.ErrnoException).code ?? 'error'));
      });
    assert.match(await negotiated({}), /^TLSv1\.3 /);
    const old = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' };
    assert.match(await negotiated(old), /^TLSv1\.2 ECDHE-ECDSA-AES(128|256)-GCM-SHA(256|384)$/);
    assert.match(await negotiated({ ...old, ciphers: 'ECDHE-ECDSA-AES128-SHA256' }), /^E[A-Z]/);
    const oldest = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
    assert.match(await negotiated(oldest), /^E[A-Z]/);
  });

  const bad: Readonly<Record<string, readonly [env: () => Record<string, string>, line: RegExp]>> = {
    'no certificate': [() => ({ TLS_CERT: '/nowhere.pem' }), /^TLS_CERT: ENOENT.*\n$/],
    'no authority': [
      () => ({ TLS_CLIENT_CA: written('none.pem', 'nothing') }),
      /^TLS_CLIENT_CA: has no certificate in PEM\n$/,
    ],
    'a certificate of nobody’s authority': [
      () => ({ TLS_CLIENT_CA: written('leaf.pem', ofClient.pem) }),
      /^TLS_CLIENT_CA: has a certificate that is none of an authority: .*\n$/,
    ],
  };
  for (const [what, [over, line]] of Object.entries(bad)) {
    it(`a start ends with one line where a file has ${what}`, async () => {
      const { env } = await settings();
      const server = fixture.launch({ ...env, ...over() }, startInProcess);
      assert.notEqual(await server.ended, 0);
      const told = server
        .output()
        .split('\n')
        .filter(text => text.startsWith('TLS_'));
      assert.match(told.map(text => `${text}\n`).join('') || '\n', line);
    });
  }
});
