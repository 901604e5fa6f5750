import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ConsoleFixture, openConsole } from '../../build/in-console.ts';
import { formWith } from '../../build/visitor.ts';

describe('a compromised key in the console', () => {
  let fixture: ConsoleFixture;
  before(async () => {
    fixture = await openConsole();
  });
  after(() => fixture.server.close());

  const kids = async (): Promise<string[]> =>
    (await fixture.owner.ask('GET', '/applications/shop/keys')).json.items.map(({ kid }: { kid: string }) => kid);

  it('is deleted after the code of its application was typed, which a person can remember', async () => {
    const [kid = ''] = await kids();
    const { visitor, seen } = await fixture.inConsole(`/console/applications/shop/keys?compromised=${kid}`);
    assert.match(seen.text, /Type shop to confirm/);
    const wrong = await visitor.send(formWith(seen, 'kid'), { confirm: kid });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /This is not the code of the application\./);
    assert((await kids()).includes(kid));
    const done = await visitor.send(formWith(wrong, 'kid'), { confirm: 'shop' });
    assert.match(done.text, /role="status"/);
    assert(!(await kids()).includes(kid));
  });
});
