import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { freePort } from '../../../scripts/free-port.ts';
import { type Provisioned, startTestServer, type TestServer } from '../../build/test-server.ts';

/** The pages of docs/clients. What a reader copies from them is what the tests run. */
const FOLDER = new URL('../../../docs/clients/', import.meta.url);

/** Without README.md, which lists them. */
export const pageNames = readdirSync(FOLDER)
  .filter(file => file.endsWith('.md') && file !== 'README.md')
  .map(file => file.slice(0, -'.md'.length))
  .sort();

export interface Block {
  readonly language: string;
  readonly text: string;
}

export function readPage(name: string): string {
  return readFileSync(new URL(`${name}.md`, FOLDER), 'utf8');
}

/** The fenced blocks of a page, in order. */
export function blocksOf(page: string): Block[] {
  return [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({ language, text }));
}

/** The apply file of a page is its first block. */
export function applyFileOf(name: string): string {
  const [first] = blocksOf(readPage(name));
  assert.equal(first?.language, 'yaml', `${name}.md begins with an apply file`);
  return first.text;
}

/** A server that was provisioned with the apply file of a page, and the place where the client of the page will listen. */
export interface PageSetting {
  readonly server: TestServer;
  readonly port: number;
  readonly origin: string;
  /** Where a proxy of the page finds the application it protects. */
  readonly upstreamPort: number;
  /** The only block in this language after the apply file, with the addresses of this run. */
  block(language: string): string;
  close(): Promise<void>;
}

export interface PageOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** What else a reader would replace in a block. */
  readonly change?: (text: string) => string;
}

/** On all pages the server is at localhost:3000, the client at localhost:4000, and what a proxy protects at localhost:8080. */
export async function openPage(
  name: string,
  { env = {}, change = text => text }: PageOptions = {},
): Promise<PageSetting> {
  const server = await startTestServer({ applications: [], users: [], env });
  const [port, upstreamPort] = [await freePort(), await freePort()];
  const place = (text: string) =>
    change(text)
      .replaceAll('http://localhost:3000', server.base)
      .replaceAll('localhost:4000', `127.0.0.1:${port}`)
      .replaceAll('localhost:8080', `127.0.0.1:${upstreamPort}`)
      .replace(/\b4000\b/g, String(port));
  try {
    await server.provision(parse(place(applyFileOf(name))) as Provisioned);
  } catch (error) {
    await server.close();
    throw error;
  }
  const others = blocksOf(readPage(name)).slice(1);
  return {
    server,
    port,
    origin: `http://127.0.0.1:${port}`,
    upstreamPort,
    block(language) {
      const found = others.filter(block => block.language === language);
      assert.equal(found.length, 1, `${name}.md has one block in ${language}`);
      return place(found[0]?.text ?? '');
    },
    close: () => server.close(),
  };
}
