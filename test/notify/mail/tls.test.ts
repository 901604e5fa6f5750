import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import type { SMTPServerOptions } from 'smtp-server';
import { makeCertificate } from '../../build/certificate.ts';
import { type MailServer, openMailServer } from '../../build/mailbox.ts';

const LOGIN = 'gatehouse:mail-password-of-test';

/** RFC 8314: a mail server is spoken to over TLS, and gets the password only if its certificate is good. */
describe('mail over TLS', () => {
  let folder: string;
  const servers: MailServer[] = [];
  /** The commands that came in clear or were decrypted. */
  let logins: string[];
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-mail-tls-'));
    makeCertificate(folder);
  });
  after(async () => {
    await Promise.all(servers.map(server => server.close()));
    rmSync(folder, { recursive: true });
  });

  async function listen(options: SMTPServerOptions): Promise<MailServer> {
    logins = [];
    const server = await openMailServer({
      key: readFileSync(join(folder, 'key.pem')),
      cert: readFileSync(join(folder, 'certificate.pem')),
      // The library refuses a login in clear by itself, and would hide what the client sends.
      allowInsecureAuth: true,
      onAuth({ username, password }, session, done) {
        logins.push(`${username}:${password} ${session.secure ? 'over TLS' : 'in clear'}`);
        done(null, { user: username });
      },
      ...options,
    });
    servers.push(server);
    return server;
  }

  /** In a process of its own: Node.js reads further authorities at its start. */
  async function send(url: string, isTrusted: boolean): Promise<{ kind: string; reason?: string }> {
    const script = `
      import { readMailUrl } from './src/platform/config/mail-settings.ts';
      import { sendMail } from './src/notify/mail/transport.ts';
      const settings = { destination: readMailUrl(process.argv[1]), from: 'id@example.com' };
      const mail = { id: 'eml_1', to: 'alice@example.com', subject: 'Hello', text: 'x', html: '<p>x</p>', date: 1 };
      process.stdout.write(JSON.stringify(await sendMail(settings, mail)));`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script, url], {
      cwd: join(import.meta.dirname, '../../..'),
      env: { ...process.env, ...(isTrusted ? { NODE_EXTRA_CA_CERTS: join(folder, 'certificate.pem') } : {}) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return JSON.parse(await text(child.stdout));
  }

  it('smtps: TLS from the first byte, and a login', async () => {
    const { port, received } = await listen({ secure: true });
    assert.equal((await send(`smtps://${LOGIN}@127.0.0.1:${port}`, true)).kind, 'sent');
    assert.deepEqual(logins, [`${LOGIN} over TLS`]);
    assert.equal(received[0]?.mail.subject, 'Hello');
  });

  it('smtp: STARTTLS where the server offers it, and the login after it', async () => {
    const { port, received } = await listen({ disabledCommands: [] });
    assert.equal((await send(`smtp://${LOGIN}@127.0.0.1:${port}`, true)).kind, 'sent');
    assert.deepEqual(logins, [`${LOGIN} over TLS`]);
    assert.equal(received.length, 1);
  });

  for (const scheme of ['smtps', 'smtp']) {
    it(`${scheme}: a certificate of nobody known gets neither the password nor the mail`, async () => {
      const { port, received } = await listen(scheme === 'smtps' ? { secure: true } : { disabledCommands: [] });
      const outcome = await send(`${scheme}://${LOGIN}@127.0.0.1:${port}`, false);
      assert.equal(outcome.kind, 'failed');
      assert.match(outcome.reason ?? '', /certificate/);
      assert.deepEqual([logins, received], [[], []]);
    });
  }

  it('a server on another machine that offers no TLS (or whose offer was removed on the way) gets no password', async () => {
    const { port, received } = await listen({ disabledCommands: ['STARTTLS'] });
    // Reaches this machine, and is not a name of it.
    const outcome = await send(`smtp://${LOGIN}@0.0.0.0:${port}`, true);
    assert.equal(outcome.kind, 'failed');
    assert.deepEqual([logins, received], [[], []]);
  });
});
