import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { get } from '../../build/client.ts';
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
    const exported = JSON.parse(file.text);
    assert.equal(exported.profile.sub, sub);
    const { paths } = (await get(fixture.at('/api/v1/admin/openapi.json'))).json;
    const { schema } = paths['/users/{sub}/export'].get.responses['200'].content['application/json'];
    const documented = Object.keys(schema.properties);
    assert.deepEqual(Object.keys(exported).sort(), documented.sort(), 'as the OpenAPI document says');
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
