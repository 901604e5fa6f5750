import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventsOf } from '../../build/events.ts';
import { openConsole } from '../../build/in-console.ts';
import { suitePart } from '../../build/suite-part.ts';

describe('the export of a person in the console', () => {
  const fixture = suitePart(() => openConsole());

  it('is a file with everything about the person and no secret, and is recorded', async () => {
    const sub = await fixture.subOf('bob');
    const { visitor, seen } = await fixture.inConsole(`/console/users/${sub}`);
    const action = `/console/users/${sub}/export`;
    assert(seen.text.includes(`action="${action}"`));
    const file = await visitor.send({ action: fixture.at(action), fields: new URLSearchParams() });
    assert.equal(file.status, 200);
    assert.match(file.headers.get('content-disposition') ?? '', /^attachment; filename="person\.json"$/);
    assert.equal(JSON.parse(file.text).profile.sub, sub);
    assert(!/password_hash|argon2|\$2b/.test(file.text));
    const recorded = (await eventsOf(fixture.server)).filter(({ type }) => type === 'user.exported');
    const subjects = recorded.map(({ subject, actor }) => [subject, actor.kind]);
    assert.deepEqual(subjects, [[sub, 'operator']]);
  });

  it('is not for auditors', async () => {
    const sub = await fixture.subOf('bob');
    const { visitor, seen } = await fixture.inConsole(`/console/users/${sub}`, 'carol', 'auditor');
    assert(!seen.text.includes('/export'));
    const asked = await visitor.send({
      action: fixture.at(`/console/users/${sub}/export`),
      fields: new URLSearchParams(),
    });
    assert.equal(asked.status, 403);
  });
});
