import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Preset, presets } from '../../../src/directory/clients/presets.fields.ts';
import { DEVICE_GRANT } from '../../../src/oauth/device/rules.ts';
import { fields } from '../../build/fields.ts';

const { schema: clientSchema, newSchema: newClientSchema } = fields.client;

const CODE = ['authorization_code', 'refresh_token'];

/** Row 60: how a client of each kind differs from one without a preset. */
const table: Readonly<Record<Preset, object>> = {
  web: { require_pkce: true, require_client_authentication: true, userinfo_claims: 'standard' },
  spa: { token_endpoint_auth_method: 'none', require_pkce: true, userinfo_claims: 'standard' },
  native: {
    ...{ token_endpoint_auth_method: 'none', require_pkce: true, userinfo_claims: 'standard' },
    require_consent: true,
  },
  machine: { grant_types: ['client_credentials'], userinfo_claims: 'standard' },
  device: {
    ...{ grant_types: ['refresh_token', DEVICE_GRANT], token_endpoint_auth_method: 'none' },
    userinfo_claims: 'standard',
  },
  legacy: {},
};

describe('presets of new clients (row 60)', () => {
  for (const preset of presets) {
    it(`${preset}: the values of the table, and the defaults beside them`, () => {
      assert.deepEqual(newClientSchema.parse({ preset }), { ...clientSchema.parse({}), ...table[preset] });
    });
  }

  it('without a preset the defaults of the interface hold', () => {
    assert.deepEqual(newClientSchema.parse({}), clientSchema.parse({}));
    assert.deepEqual(newClientSchema.parse({}).grant_types, CODE);
  });

  it('what is said beside a preset takes precedence', () => {
    const said = { preset: 'web', require_pkce: false, token_endpoint_auth_method: 'client_secret_post' } as const;
    const { require_pkce, require_client_authentication, token_endpoint_auth_method } = newClientSchema.parse(said);
    assert.deepEqual(
      [require_pkce, require_client_authentication, token_endpoint_auth_method],
      [false, true, 'client_secret_post'],
    );
    const grant_types = ['authorization_code', 'password', 'implicit'] as const;
    assert.deepEqual(
      newClientSchema.parse({ preset: 'legacy', grant_types: [...grant_types] }).grant_types,
      grant_types,
    );
  });

  for (const [why, entry, field] of [
    [
      'a web client without a secret',
      { preset: 'web', token_endpoint_auth_method: 'none' },
      'require_client_authentication',
    ],
    [
      'a single-page application with a secret',
      { preset: 'spa', client_secret: 'a-secret-of-length' },
      'client_secret',
    ],
    ['a single-page application with the password grant', { preset: 'spa', grant_types: ['password'] }, 'grant_types'],
    ['a native client without rotation', { preset: 'native', refresh_token_rotation: false }, 'refresh_token_rotation'],
    ['a preset that does not exist', { preset: 'website' }, 'preset'],
    ['a preset of the prototype', { preset: 'constructor' }, 'preset'],
    ['a preset that is no text', { preset: ['web'] }, 'preset'],
  ] as const) {
    it(`refuses what cannot be: ${why}`, () => {
      const { error } = newClientSchema.safeParse(entry);
      assert.deepEqual(
        error?.issues.map(({ path }) => path),
        [[field]],
      );
    });
  }

  it('is no field of a client: what is created has its values, and no preset', () => {
    for (const preset of presets) assert(!('preset' in newClientSchema.parse({ preset })));
    assert.equal(clientSchema.safeParse({ preset: 'web' }).success, false);
  });
});
