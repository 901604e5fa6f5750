import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMailSender } from '../../src/notify/mail/job.ts';
import { type FixedClock, fixedClock } from './clock.ts';
import { mailsIn, type ReadMail } from './mailbox.ts';
import { startTestServer, type TestServer, type TestServerOptions } from './test-server.ts';

/** Servers that share an outbox, for people who wait for mails. */
export class MailTown {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'gatehouse-outbox-'));
  readonly clock: FixedClock = fixedClock(Math.floor(Date.now() / 1000));
  readonly #servers: TestServer[] = [];

  /** The town closes it, whoever else would. */
  async start(options: TestServerOptions = {}): Promise<TestServer> {
    const env = { MAIL_URL: `file:${this.folder}`, TRUSTED_PROXIES: '127.0.0.1', ...options.env };
    const server = await startTestServer({ clock: this.clock, ...options, env });
    this.#servers.push(server);
    return { ...server, close: async () => {} };
  }

  /** Another node on the same database. */
  async startAnother(server: TestServer): Promise<TestServer> {
    const env = { DATABASE_URL: server.services.config.database.url };
    return this.start({ users: [], applications: [], env });
  }

  /** Runs the job, twice: the first run makes the mails that requests asked for. */
  async sendMails(by = this.#servers[0] as TestServer): Promise<readonly ReadMail[]> {
    const sender = createMailSender(by.services);
    await sender.run();
    await sender.run();
    return this.mails();
  }

  mails(): readonly ReadMail[] {
    return mailsIn(this.folder);
  }

  async newestMail(): Promise<ReadMail> {
    const newest = (await this.sendMails()).at(-1);
    assert(newest, 'no mail was sent');
    return newest;
  }

  async close(): Promise<void> {
    // The last one started has no database of its own.
    for (const server of this.#servers.splice(0).reverse()) await server.close();
    rmSync(this.folder, { recursive: true });
  }
}

export function codeIn({ text }: ReadMail): string {
  const code = text.split('\n').find(line => /^[0-9A-Z]{8}$/.test(line));
  assert(code, `no code: ${text}`);
  return code;
}

export function linkIn({ links }: ReadMail): string {
  assert.equal(links.length, 1, 'one link, on a line of its own');
  return links[0] as string;
}
