import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type DocumentServer, openDocumentServer } from '../../build/document-server.ts';
import { press } from '../../build/people.ts';
import { Visitor } from '../../build/visitor.ts';
import { wander } from '../wander.ts';
import { enterPassword } from './log-in.ts';
import { openPage, type PageSetting } from './page.ts';
import { printedLine } from './printed-line.ts';
import { type Program, startNode } from './program.ts';

const PUBLISHED = 'https://assistant.example/client.json';
const PATH = '/client.json';

describe('docs/clients/mcp.md', () => {
  let documents: DocumentServer;
  before(async () => {
    documents = await openDocumentServer();
  });
  after(() => documents.close());

  /** The page with its document published, until the tool has answered. */
  async function answerOfTool(change: (text: string) => string, consent: RegExp): Promise<string> {
    const open: (PageSetting | Program)[] = [];
    try {
      const setting = await openPage('mcp', {
        env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' },
        change: text => change(text.replaceAll(PUBLISHED, documents.at(PATH))),
      });
      open.push(setting);
      documents.answer(PATH, { body: setting.block('json') });
      open.push(await startNode(setting.block('js'), setting.port));
      const client = await startNode(setting.block('javascript'));
      open.push(client);
      const visitor = new Visitor(setting.server.base);
      const page = await enterPassword(visitor, await printedLine(client, /^Open (\S+) in a browser\.$/m));
      assert.equal(new URL(page.url).pathname, '/consent', page.text);
      assert.match(page.text, consent);
      assert.match(page.text, /Shop tools: Read your orders/);
      const seen = await wander(visitor, await press(visitor, page, 'allow'));
      assert.equal(seen.text, 'You can close this window.', client.printed());
      return await printedLine(client, /^(Orders of .*)$/m);
    } finally {
      for (const each of open.reverse()) await each.close();
    }
  }

  it('a client that nobody has registered calls a tool: by its metadata document', async () => {
    const host = new URL(documents.at(PATH)).host;
    const text = await answerOfTool(unchanged => unchanged, new RegExp(`Assistant[\\s\\S]*published at ${host}`));
    assert.match(text, new RegExp(`^Orders of [\\w-]+, for ${documents.at(PATH)}$`));
    assert.equal(documents.count(PATH), 1);
  });

  it('and by dynamic registration, where that is on instead', async () => {
    const before = documents.count(PATH);
    const registering = (text: string) => text.replace('client_id_metadata: any', 'dynamic_registration: open');
    const text = await answerOfTool(registering, /Assistant[\s\S]*registered itself/);
    assert.match(text, /^Orders of [\w-]+, for [\w-]{22}$/);
    assert.equal(documents.count(PATH), before);
  });
});
