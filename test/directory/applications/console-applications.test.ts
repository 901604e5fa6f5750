import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filledForm } from '../../build/console.ts';
import { fields } from '../../build/fields.ts';
import { suiteConsole } from '../../build/in-console.ts';

const fixture = suiteConsole();

describe('/console/applications/new', () => {
  it('asks for a name and a code, and for nothing else', async () => {
    const { seen } = await fixture.inConsole('/console/applications/new');
    const { fields } = filledForm(seen, 'code');
    assert.deepEqual([...fields.keys()].toSorted(), ['code', 'name', 'once']);
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
    const { visitor } = await fixture.inConsole('/console');
    for (const [tab, controls] of Object.entries(CONTROLS)) {
      const page = await visitor.go(fixture.at(`/console/applications/by-form/${tab}`));
      for (const control of controls) {
        const saved = await visitor.send(filledForm(page, control), {});
        assert.equal(saved.status, 200, `${control}: ${saved.text}`);
        assert.equal(saved.url, fixture.at(`/console/applications/by-form/${tab}?done=saved`));
      }
    }
    assert.deepEqual((await owner.ask('GET', '/applications/by-form')).json, before);
  });
});

/** A control of each section, by the tab that has it. */
const CONTROLS = {
  'sign-in': ['mfa', 'access'],
  look: ['name', 'accent_color'],
  advanced: ['access_token_ttl', 'dynamic_registration'],
};

describe('the tabs of an application', () => {
  const SHOP = '/console/applications/shop';

  it('are addresses, each of which says that it is the current one', async () => {
    const { visitor } = await fixture.inConsole('/console');
    for (const path of ['', '/apis', '/sign-in', '/look', '/keys', '/advanced']) {
      const { status, text } = await visitor.go(fixture.at(`${SHOP}${path}`));
      assert.equal(status, 200, path);
      assert.match(text, new RegExp(`<a href="${SHOP}${path}" aria-current="page">`), path);
    }
  });

  it('have every field of the contract, each with its meaning; APIs have pages of their own, and policies need APIs', async () => {
    const { visitor } = await fixture.inConsole('/console');
    const pages = await Promise.all(Object.keys(CONTROLS).map(tab => visitor.go(fixture.at(`${SHOP}/${tab}`))));
    for (const { name, text } of fields.application.declared) {
      if (['apis', 'token_exchange', 'code'].includes(name)) continue;
      const having = pages.filter(page => new RegExp(`name="${name}["\\.]`).test(page.text));
      assert.equal(having.length, 1, `${name} is on one tab`);
      const label = text.en[0].replace(/[()]/g, '\\$&');
      assert.match(having[0]?.text ?? '', new RegExp(`>${label}</(label|div)>`), `${name} has its label`);
    }
  });

  it('an empty field shows what it stands for, and emptied it is the default again', async () => {
    const { owner } = fixture;
    const { visitor, seen } = await fixture.inConsole(`${SHOP}/advanced`);
    assert.match(seen.text, /name="access_token_ttl"[^>]* placeholder="3600"/);
    assert.match(seen.text, /name="userinfo_max_age"[^>]* placeholder="Not set"/);
    await owner.ask('PATCH', '/applications/shop', { access_token_ttl: 60 });
    const now = await visitor.go(fixture.at(`${SHOP}/advanced`));
    await visitor.send(filledForm(now, 'access_token_ttl'), { access_token_ttl: '' });
    assert.equal((await owner.ask('GET', '/applications/shop')).json.access_token_ttl, 3600);
  });

  it('a section that an operator sends to another tab changes nothing', async () => {
    const { visitor, seen } = await fixture.inConsole(`${SHOP}/look`);
    const before = (await fixture.owner.ask('GET', '/applications/shop')).json;
    const answered = await visitor.send(filledForm(seen, 'name'), { section: 'tokens', access_token_ttl: '60' });
    assert.equal(answered.status, 400, answered.text);
    assert.deepEqual((await fixture.owner.ask('GET', '/applications/shop')).json, before);
  });

  it('the application of the operators has clients and keys alone', async () => {
    const { visitor } = await fixture.inConsole('/console');
    for (const [path, status] of [
      ['', 200],
      ['/keys', 200],
      ['/sign-in', 404],
      ['/look', 404],
      ['/advanced', 404],
      ['/apis', 404],
    ]) {
      const seen = await visitor.go(fixture.at(`/console/applications/gatehouse${path}`));
      assert.equal(seen.status, status, String(path));
    }
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
