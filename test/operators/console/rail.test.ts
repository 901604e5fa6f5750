import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { capabilities } from '../../../src/capabilities.ts';
import { type ConsoleFixture, openConsole } from '../../build/in-console.ts';
import type { Seen } from '../../build/visitor.ts';

const railIn = ({ text }: Seen) =>
  [
    ...(/<div class="links">(.*?)<\/div>/s.exec(text)?.[1] ?? '').matchAll(
      /href="([^"]*)"(?: aria-current="(page)")?>(.*?)</g,
    ),
  ].map(([, path, current, name]) => [path, name, ...(current ? ['here'] : [])].join(' '));

describe('the rail of the console (docs/look.md)', () => {
  let fixture: ConsoleFixture;
  before(async () => {
    fixture = await openConsole();
  });
  after(() => fixture.server.close());

  it('has a place for each kind of page, in this order', async () => {
    const { seen } = await fixture.inConsole('/console/users/new');
    assert.deepEqual(railIn(seen), [
      '/console Overview',
      '/console/applications Applications',
      '/console/users Users here',
      '/console/activity Activity',
      '/console/refusals Refusals',
      '/console/webhooks Webhooks',
      '/console/operators Operators',
      '/console/settings Settings',
    ]);
  });

  it('is in the language of the operator', async () => {
    const { visitor } = await fixture.inConsole('/console');
    const seen = await visitor.go(fixture.at('/console/settings'), { headers: { 'accept-language': 'zh' } });
    assert.deepEqual(railIn(seen), [
      '/console 概览',
      '/console/applications 应用',
      '/console/users 用户',
      '/console/activity 活动',
      '/console/refusals 拒绝的请求',
      '/console/webhooks Webhook',
      '/console/operators 管理员',
      '/console/settings 设置 here',
    ]);
  });

  it('is the place of every page', async () => {
    const { places } = fixture.server.services.tables;
    const pages = await Promise.all(
      capabilities.flatMap(each => Object.values(each.console ?? {})).map(load => load()),
    );
    assert(pages.length > 30, String(pages.length));
    assert.deepEqual(
      pages.map(({ place }) => place).filter(place => !places.has(place)),
      [],
    );
  });
});
