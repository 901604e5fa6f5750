import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { faults } from './apply-file-given.ts';

/** Issue 26 point D.1: somebody has to find the fault in a file of a thousand lines. */
describe('a fault of an apply file names what it is in and the line', () => {
  it('in YAML, of a value, a list entry, an unknown key and what is missing', () => {
    const text = `applications:
  - code: shop
    name: Shop
    clients:
      - client_id: web
        redirect_uris:
          - https://a.example/cb
          - https://a.example/#x
      - client_name: Till
        colour: red
      - client_id: api
        token_endpoint_auth_method:
          private_key_jwt
  - name: Bank
users:
  - username: alice
    email: >-
      nowhere
  - email: bob@example.com
    disabled: perhaps
  - nickname: Nobody
`;
    assert.deepEqual(faults(text), [
      'applications[0].clients[0].redirect_uris[1]: must not have a fragment (client shop/web, line 8)',
      'applications[0].clients[1].colour: there is no such setting (client shop/Till, line 10)',
      'applications[1].code: is missing (line 14)',
      'users[0].email: must be an e-mail address (user alice, line 17)',
      'users[1].disabled: Invalid input: expected boolean, received string (user bob@example.com, line 20)',
      'users[2].username: is missing, and there is no email to go by (line 21)',
    ]);
  });

  it('in JSON, also where the entry is on one line', () => {
    const text = `{
  "applications": [{ "code": "shop", "name": "Shop",
    "clients": [
      { "client_id": "web" },
      { "client_id": "api", "redirect_uris": ["https://a.example/cb"],
        "scope": "openid orders:read" }
    ] }]
}`;
    assert.deepEqual(faults(text), [
      'applications[0].clients[1].scope: must be one or more of openid, profile, email, phone, address, groups, roles, offline_access, separated by spaces (client shop/api, line 6)',
    ]);
  });

  it('also where the value is an alias', () => {
    const text = 'users:\n  - {username: al, picture: &n nowhere}\n  - username: bo\n    picture: *n\n';
    assert.deepEqual(faults(text), [
      'users[0].picture: must be an http or https address (user al, line 2)',
      'users[1].picture: must be an http or https address (user bo, line 4)',
    ]);
  });

  it('counts the entries of each file for itself', () => {
    const [first, second] = ['users:\n  - username: al\n', 'applications:\n  - code: shop\nusers:\n  - username: AL\n'];
    assert.deepEqual(faults(first, second), [
      'file-1.yaml: users[0].username: duplicate login name "AL" (user AL, line 4)',
    ]);
    assert.deepEqual(
      faults('applications:\n  - {code: a, name: A}\n', 'applications:\n  - {code: b, name: B}\n  - code: c\n'),
      ['file-1.yaml: applications[1].name: is missing (application c, line 3)'],
    );
  });

  it('does not print a name with control characters', () => {
    const [fault = ''] = faults(JSON.stringify({ users: [{ username: 'a\u001b[2Jb', disabled: 1 }] }));
    assert(!fault.includes('\u001b'), fault);
  });
});
