import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formWith, Visitor } from '../build/visitor.ts';
import { suiteGuide } from './run-guide.ts';

describe('docs/guides/moving-slowly.md', () => {
  const guide = suiteGuide('moving-slowly', {
    serves: { 'GATEHOUSE_OUTBOUND_ALLOW=127.0.0.1,::1 npm start': 3000, 'node old-system.mjs': 4000 },
  });

  it('brings a person over with the password of the old system, and counts her', async () => {
    await guide.section('Let the old system answer');
    await guide.section('Let people come');
    const visitor = new Visitor(guide.place('http://localhost:3000'));
    const page = await visitor.follow(guide.place('http://localhost:3000/account'));
    const seen = await visitor.send(formWith(page, 'password'), { username: 'olga', password: 'olga knew it' });
    assert.match(seen.text, /olga@shop\.example/);
    await guide.section('See who is left');
  });

  it('has no command that no test runs', () => assert.deepEqual(guide.left(), []));
});
