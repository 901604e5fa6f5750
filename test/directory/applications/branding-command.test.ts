import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { BRANDING, PNG, pngOf } from '../../build/branding.ts';
import { gatehouse, gatehouseReading } from '../../build/command.ts';
import { stopOwnServer } from '../../build/postgres.ts';
import { suiteServer } from '../../build/test-server.ts';

after(stopOwnServer);

for (const store of ['SQLite', 'PostgreSQL'] as const) {
  describe(`logo, colour and links of an application on the command line, ${store} (admin contract)`, () => {
    const server = suiteServer({
      shop: { ...BRANDING, clients: [] },
      users: [],
      store,
    });
    /** The look of the only application in an export. */
    const lookOf = (exported: string) => {
      const [entry] = JSON.parse(exported).applications;
      return Object.fromEntries(Object.keys(BRANDING).map(name => [name, entry[name]]));
    };
    const shop = (over: object) => JSON.stringify({ applications: [{ code: 'shop', name: 'Shop', ...over }] });

    it('export writes them, and diff calls the file equal', async () => {
      const exported = await gatehouse(server, 'export', '--json');
      assert.deepEqual(lookOf(exported.out), BRANDING);
      const { code, out } = await gatehouseReading(server, exported.out, 'diff', '-');
      assert.deepEqual([code, out], [0, 'Nothing to change.\n']);
      const yaml = await gatehouse(server, 'export');
      assert.equal((await gatehouseReading(server, yaml.out, 'diff', '-')).code, 0);
    });

    it('diff tells of a long logo only how it begins, and apply sets it; left out it stays, and null clears', async () => {
      const changed = shop({ ...BRANDING, logo_uri: pngOf(2000), accent_color: '#FFD400' });
      const diff = await gatehouseReading(server, changed, 'diff', '-');
      assert.equal(diff.code, 1);
      const began = `${pngOf(2000).slice(0, 40)}…`;
      assert.equal(
        diff.out,
        `~ application shop: logo_uri ${JSON.stringify(PNG)} → "${began}" (${pngOf(2000).length} characters)\n`,
      );
      assert.equal((await gatehouseReading(server, changed, 'apply', '-')).code, 0);
      assert.equal((await gatehouseReading(server, shop({}), 'apply', '-')).out, 'Nothing to change.\n');
      const nothing = Object.fromEntries(Object.keys(BRANDING).map(name => [name, null]));
      const cleared = await gatehouseReading(server, shop(nothing), 'apply', '-');
      assert.equal(cleared.code, 0, cleared.err);
      for (const name of Object.keys(BRANDING)) assert.match(cleared.out, new RegExp(`${name} .* → unset`));
      const exported = await gatehouse(server, 'export', '--json');
      assert.deepEqual(lookOf(exported.out), nothing);
    });

    it('every fault of a file is named with its place, and nothing is changed', async () => {
      const faulty = shop({ logo_uri: 'https://cdn.example/l.png', accent_color: 'red', help_uri: 'javascript:x' });
      const { code, err } = await gatehouseReading(server, faulty, 'apply', '-');
      assert.equal(code, 65);
      assert.match(err, /applications\[0\]\.logo_uri: must be the image itself/);
      assert.match(err, /applications\[0\]\.accent_color: must be # and six/);
      assert.match(err, /applications\[0\]\.help_uri: must be an https address/);
    });

    it('applications get prints the beginning of a long logo on a terminal, and all of it with --json', async () => {
      assert.equal((await gatehouseReading(server, shop({ logo_uri: pngOf(2000) }), 'apply', '-')).code, 0);
      const { out } = await gatehouse(server, 'applications', 'get', 'shop');
      assert.match(out, /^logo_uri +data:image\/png;base64,[\w+/]+…$/m);
      assert(!out.includes(pngOf(2000).slice(0, 1000)), 'a logo of 2000 bytes fills the terminal');
      const { out: json } = await gatehouse(server, 'applications', 'get', 'shop', '--json');
      assert.equal(JSON.parse(json).logo_uri, pngOf(2000));
    });

    it('applications update sets a field by its option, and null clears it', async () => {
      const update = async (...args: string[]) => {
        const { code, out, err } = await gatehouse(server, 'applications', 'update', 'shop', ...args, '--json');
        assert.equal(code, 0, err);
        return JSON.parse(out);
      };
      const set = await update('--logo-uri', PNG, '--accent-color', '#112233', '--help-uri', BRANDING.help_uri);
      assert.deepEqual([set.logo_uri, set.accent_color, set.help_uri], [PNG, '#112233', BRANDING.help_uri]);
      const cleared = await update('--logo-uri', 'null', '--accent-color', 'null');
      assert.deepEqual([cleared.logo_uri, cleared.accent_color], [undefined, undefined]);
      assert.equal(cleared.help_uri, BRANDING.help_uri);
    });
  });
}
