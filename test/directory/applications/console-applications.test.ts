import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { filledForm } from '../../build/console.ts';
import { fields } from '../../build/fields.ts';
import { type ConsoleFixture, openConsole } from '../../build/in-console.ts';

let fixture: ConsoleFixture;
before(async () => {
  fixture = await openConsole();
});
after(() => fixture.server.close());

describe('/console/applications/new', () => {
  it('has every field of the contract, each with its meaning; APIs have pages of their own, and policies need APIs', async () => {
    const { seen } = await fixture.inConsole('/console/applications/new');
    for (const { name, text } of fields.application.declared) {
      if (name === 'apis' || name === 'token_exchange') continue;
      assert(new RegExp(`name="${name}["\\.]`).test(seen.text), `${name} is in the form`);
      const [label] = text.en;
      assert(seen.text.includes(`>${label}</label>`), `${name} has its label`);
    }
  });

  it('makes what the admin API makes where nothing but code and name is said', async () => {
    const { owner } = fixture;
    const { visitor, seen } = await fixture.inConsole('/console/applications/new');
    await visitor.send(filledForm(seen, 'code'), { code: 'by-form', name: 'Same' });
    const byForm = (await owner.ask('GET', '/applications/by-form')).json;
    const byApi = (await owner.ask('POST', '/applications', { code: 'by-api', name: 'Same' })).json;
    assert.deepEqual({ ...byForm, code: 'by-api' }, byApi);
    assert.deepEqual([byForm.passkeys, byForm.mfa], [true, 'optional']);
  });

  it('its form saved as it is changes nothing', async () => {
    const { owner } = fixture;
    const before = (await owner.ask('GET', '/applications/by-form')).json;
    const { visitor, seen } = await fixture.inConsole('/console/applications/by-form');
    await visitor.send(filledForm(seen, 'name'), {});
    assert.deepEqual((await owner.ask('GET', '/applications/by-form')).json, before);
  });
});

describe('/console/users/new', () => {
  it('makes what the admin API makes where nothing but a name is said', async () => {
    const { owner } = fixture;
    const { visitor, seen } = await fixture.inConsole('/console/users/new');
    await visitor.send(filledForm(seen, 'username'), { username: 'by-form' });
    const { sub: _, updated_at: __, ...byForm } = (await owner.ask('GET', '/users?q=by-form')).json.items[0];
    const { sub: ___, updated_at: ____, ...byApi } = (await owner.ask('POST', '/users', { username: 'by-api' })).json;
    assert.deepEqual({ ...byForm, username: 'by-api' }, byApi);
  });
});
