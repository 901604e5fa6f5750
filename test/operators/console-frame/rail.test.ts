import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { capabilities } from '../../../src/capabilities.ts';
import { openConsole } from '../../build/in-console.ts';
import { suitePart } from '../../build/suite-part.ts';
import { formWith, type Seen } from '../../build/visitor.ts';

const railIn = ({ text }: Seen) =>
  [
    ...(/<div class="links">(.*?)<\/div>/s.exec(text)?.[1] ?? '').matchAll(
      /href="([^"]*)"(?: aria-current="(page)")?><svg.*?<\/svg>(.*?)<|<p id="rail-\w+">(.*?)</g,
    ),
  ].map(([, path, current, name, heading]) => heading ?? [path, name, ...(current ? ['here'] : [])].join(' '));

describe('the rail of the console (docs/look.md)', () => {
  const fixture = suitePart(() => openConsole());

  it('has a place for each kind of page, in this order', async () => {
    const { seen } = await fixture.inConsole('/console/users/new');
    assert.deepEqual(railIn(seen), [
      '/console Overview',
      'Directory',
      '/console/applications Applications',
      '/console/users Users here',
      '/console/user-attributes User attributes',
      '/console/providers Identity providers',
      'Monitoring',
      '/console/activity Activity',
      '/console/refusals Refusals',
      'Deployment',
      '/console/webhooks Webhooks',
      '/console/operators Operators',
      '/console/status Status',
      '/console/settings Settings',
    ]);
  });

  it('is in the language of the operator', async () => {
    const { visitor } = await fixture.inConsole('/console');
    const seen = await visitor.go(fixture.at('/console/settings'), { headers: { 'accept-language': 'zh' } });
    assert.deepEqual(railIn(seen), [
      '/console 概览',
      '目录',
      '/console/applications 应用',
      '/console/users 用户',
      '/console/user-attributes 用户属性',
      '/console/providers 身份提供方',
      '动态',
      '/console/activity 活动',
      '/console/refusals 拒绝的请求',
      '部署',
      '/console/webhooks Webhook',
      '/console/operators 管理员',
      '/console/status 状态',
      '/console/settings 设置 here',
    ]);
  });

  it('is the place of every page', async () => {
    const { places } = fixture.server.services.tables;
    const pages = await Promise.all(
      capabilities.flatMap(each => Object.values(each.console ?? {})).map(load => load()),
    );
    assert(pages.length > 30, String(pages.length));
    const unknown = pages.map(({ place }) => place).filter(place => place !== undefined && !places.has(place));
    assert.deepEqual(unknown, []);
  });
});

describe('the language of the console', () => {
  const fixture = suitePart(() => openConsole());

  const languageOf = ({ text }: Seen) => /<html lang="([^"]*)"/.exec(text)?.[1];

  it('is switched in the rail, on the page that was open, and stays so in this browser', async () => {
    const { visitor, seen } = await fixture.inConsole('/console/users?q=alice');
    assert.equal(languageOf(seen), 'en');
    const switched = await visitor.send(formWith(seen, 'language'), { language: 'zh' });
    assert.deepEqual([switched.url, languageOf(switched)], [fixture.at('/console/users?q=alice'), 'zh-Hans']);
    assert.equal(languageOf(await visitor.go(fixture.at('/console/activity'))), 'zh-Hans');
    const back = await visitor.send(formWith(switched, 'language'), { language: 'en' });
    assert.equal(languageOf(back), 'en');
  });

  it('attack: the switch leads to no other server, and to no page outside of the console', async () => {
    const { visitor, seen } = await fixture.inConsole('/console');
    const form = formWith(seen, 'language');
    for (const back of [
      '//evil.example',
      '.evil.example',
      '@evil.example',
      '/logout',
      '/console\\evil',
      '/console\r\nx: y',
    ]) {
      const answer = await visitor.send(form, { language: 'en', back });
      assert.equal(answer.url, fixture.at('/console'), back);
    }
  });

  it('attack: no other text than a known language is kept', async () => {
    const { visitor, seen } = await fixture.inConsole('/console');
    const answer = await visitor.send(formWith(seen, 'language'), { language: 'de' });
    assert.equal(languageOf(answer), 'en');
    assert.equal(visitor.cookies.has('gatehouse_language'), false);
  });
});
