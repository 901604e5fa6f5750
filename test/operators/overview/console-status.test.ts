import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gatehouse } from '../../build/command.ts';
import { actForm, openConsole } from '../../build/in-console.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { suitePart } from '../../build/suite-part.ts';

const DAY = 86_400;

describe('/console/status', () => {
  const fixture = suitePart(() => openConsole());

  it('shows the nodes with their versions, the database, what waits and the keys that are due', async () => {
    const now = fixture.clock.now();
    const node = { host: 'one.example', port: 3000, version: '1.2.3', startedAt: now - DAY, seenAt: now };
    await fixture.server.services.store.noteNode(node);
    const { seen, visitor } = await fixture.inConsole('/console/status');
    assert.equal(seen.status, 200);
    assert.match(seen.text, /<code>one\.example:3000<\/code>.*1\.2\.3.*serving/);
    assert.match(seen.text, /SQLite|PostgreSQL/);
    assert.match(seen.text, /<a href="\/console\/webhooks">Webhook deliveries<\/a><\/td><td[^>]*>\d/);
    assert.match(seen.text, /Signing keys due for rotation<\/h2><div class="empty"><p>None in the next 7 days/);
    assert(!(await visitor.go(fixture.at('/console'))).text.includes('one.example'), 'the overview is of what happens');
  });

  it('is not for an operator who is limited to applications', async () => {
    const { sub } = (
      await fixture.owner.ask('POST', '/operators', { username: 'bob', role: 'owner', applications: ['shop'] })
    ).json;
    const { seen } = await fixture.inConsole('/console/status', 'bob');
    assert.equal(seen.status, 404);
    assert(!seen.text.includes('one.example'));
    await fixture.owner.ask('DELETE', `/operators/${sub}`);
  });

  describe('backups', () => {
    const overview = async () => (await fixture.inConsole('/console')).seen.text;

    it('none is known at first, and the overview leads here', async () => {
      assert.equal((await fixture.owner.ask('GET', '/status')).json.last_backup, null);
      assert.match(await overview(), /No backup is known<.*href="\/console\/status#backups">Set up backups</);
    });

    it('one that was recorded counts for a week', async () => {
      assert.equal((await fixture.owner.ask('POST', '/backups', { kind: 'made' })).status, 201);
      assert.equal((await fixture.owner.ask('GET', '/status')).json.last_backup.kind, 'made');
      assert.doesNotMatch(await overview(), /[Bb]ackup/);
      fixture.clock.advance(9 * DAY);
      assert.match(await overview(), /The last backup was made 9 days ago/);
    });

    it('that another system makes are never missed', async () => {
      const { visitor, seen } = await fixture.inConsole('/console/status');
      const said = await visitor.send(actForm(seen, 'backup-elsewhere'));
      assert.match(said.text, /Another system makes the backups, as an operator recorded on/);
      fixture.clock.advance(60 * DAY);
      assert.doesNotMatch(await overview(), /[Bb]ackup/);
      assert.match((await gatehouse(fixture.server, 'status')).out, /Last backup\nkind +elsewhere/);
    });

    it('are recorded on the command line too, after pg_dump', async () => {
      const { code, out, err } = await gatehouse(fixture.server, 'backup', '--made');
      assert.deepEqual([code, out], [0, 'Recorded: a backup was made.\n'], err);
    });

    it('are recorded by operators of the deployment alone', async () => {
      const auditor = await anOperatorClient(fixture.server, { role: 'auditor' });
      const limited = await anOperatorClient(fixture.server, { role: 'owner', applications: ['shop'] });
      assert.equal((await auditor.ask('POST', '/backups', { kind: 'made' })).status, 403);
      assert.equal((await limited.ask('POST', '/backups', { kind: 'made' })).status, 404);
      assert.equal((await fixture.owner.ask('POST', '/backups', { kind: 'other' })).status, 400);
      const { seen } = await fixture.inConsole('/console/status', 'carol', 'auditor');
      assert(!seen.text.includes('backup-elsewhere'));
    });
  });
});
