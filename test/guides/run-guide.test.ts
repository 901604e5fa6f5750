import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { after, describe, it } from 'node:test';
import { freePort } from '../../scripts/free-port.ts';
import { patternOf, stepsOf, withoutSpace } from './markdown.ts';
import { openTerminal, type Terminal } from './terminal.ts';

describe('the terminal of a guide', () => {
  const opened: Terminal[] = [];
  const open = () => {
    const terminal = openTerminal(tmpdir(), { PATH: process.env.PATH ?? '' });
    opened.push(terminal);
    return terminal;
  };
  after(() => Promise.all(opened.map(terminal => terminal.close())));

  it('keeps variables and the folder from block to block', async () => {
    const terminal = open();
    assert.equal(await terminal.run('name=alice\ncd /'), '');
    assert.equal(await terminal.run('echo "$name in $PWD"'), 'alice in /\n');
    assert.equal(terminal.folder(), '/');
  });

  it('fails with the first command that fails, and says what was printed', async () => {
    const terminal = open();
    await assert.rejects(terminal.run('echo before\nfalse\necho after'), ({ message }: Error) => {
      assert.match(message, /ended with 1/);
      assert.match(message, /before/);
      assert.doesNotMatch(terminal.printed(), /after/);
      return true;
    });
  });

  it('runs a server until Ctrl-C, and is free again', async () => {
    const terminal = open();
    const port = await freePort();
    const server = `require('http').createServer((_, reply) => reply.end('served')).listen(${port})`;
    await terminal.start(`greeting=hello\n'${process.execPath}' -e "${server}"`, port);
    assert.equal(await (await fetch(`http://127.0.0.1:${port}`)).text(), 'served');
    assert.throws(() => terminal.run('echo'), /busy/);
    await terminal.stop();
    await assert.rejects(fetch(`http://127.0.0.1:${port}`));
    assert.equal(await terminal.run('echo $greeting'), 'hello\n');
  });

  it('says at once that a server has ended by itself', async () => {
    await assert.rejects(open().start('echo no port; false', await freePort()), /have ended[\s\S]*no port/);
  });
});

describe('the steps of a guide', () => {
  const fenced = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\`\n`;

  it('are commands, files, and what commands print; every other block is there to be read', () => {
    const page = `Save this as \`shop/app.yaml\`:\n\n${fenced('yaml', 'a: 1')}
In a second terminal:\n\n${fenced('sh', 'apply')}\nIt prints:\n\n${fenced('text', 'done')}
A variant:\n\n${fenced('yaml', 'a: 2')}`;
    assert.deepEqual(stepsOf(page), [
      { kind: 'save', file: 'shop/app.yaml', text: 'a: 1\n', terminal: 'same' },
      { kind: 'run', text: 'apply\n', terminal: 'new' },
      { kind: 'expect', text: 'done\n', isJson: false },
    ]);
  });

  it('take files from docs/clients, and end what runs', () => {
    const [stop, file] = stepsOf(
      'Stop it with Ctrl-C. Save the block `js` of [Auth.js](../clients/auth-js.md) as `a.mjs`.',
    );
    assert.deepEqual(stop, { kind: 'stop' });
    assert(file?.kind === 'save');
    assert.equal(file.file, 'a.mjs');
    assert.match(file.text, /ExpressAuth/);
  });

  it('expect the whole output, where … stands for a part of a line or for lines', () => {
    const matches = (expected: string, output: string) => patternOf(expected, false, true).test(output);
    assert(matches('secret: …\ndone\n', 'secret: x9\ndone'));
    assert(matches('one\n…\ndone\n', 'one\ntwo\nthree\ndone'));
    assert(!matches('done\n', 'error\ndone'));
    assert(!matches('secret: …\n', 'secret: x9\nerror'));
  });

  it('expect JSON however it is laid out', () => {
    const pattern = patternOf('{\n  "active": true,\n  "exp": …\n}\n', true, true);
    assert.match(withoutSpace('{"active":true,"exp":1}\n'), pattern);
    assert.doesNotMatch(withoutSpace('{"active":false,"exp":1}\n'), pattern);
  });
});
