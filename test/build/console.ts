import assert from 'node:assert/strict';
import { atLogin, logIn } from './people.ts';
import type { TestServer } from './test-server.ts';
import { type Form, formWith, type Seen, Visitor } from './visitor.ts';

/** An operator before the console, without JavaScript. */
export async function inConsole(server: TestServer, path: string, username = 'alice') {
  const visitor = new Visitor(server.base);
  const login = await visitor.follow(`${server.base}${path}`);
  assert(atLogin(login), login.text);
  return { visitor, seen: await logIn(visitor, login, username) };
}

export function titleOf({ text }: Seen): string | undefined {
  return /<h1>(.*?)<\/h1>/.exec(text)?.[1];
}

/** The form that holds this control, with everything that a browser would send: what is typed, chosen and checked. */
export function filledForm(page: Seen, control: string): Form {
  const form = formWith(page, control);
  const markup = (page.text.match(/<form\b[\s\S]*?<\/form>/g) ?? []).find(each => each.includes(`name="${control}"`));
  assert(markup);
  const text = (value = '') => value.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '');
  for (const [tag] of markup.matchAll(/<input type="(?!hidden)[^>]*>/g)) {
    const name = /\sname="([^"]*)"/.exec(tag)?.[1] ?? '';
    const isSent = !tag.includes('type="checkbox"') || /\schecked\b/.test(tag);
    if (isSent) form.fields.set(name, text(/\svalue="([^"]*)"/.exec(tag)?.[1]));
  }
  for (const [, name = '', value] of markup.matchAll(/<textarea[^>]*\sname="([^"]*)"[^>]*>([^<]*)</g)) {
    form.fields.set(name, text(value));
  }
  for (const [, name = '', options = ''] of markup.matchAll(
    /<select[^>]*\sname="([^"]*)"[^>]*>([\s\S]*?)<\/select>/g,
  )) {
    const chosen = /<option value="([^"]*)" selected/.exec(options) ?? /<option value="([^"]*)"/.exec(options);
    form.fields.set(name, text(chosen?.[1]));
  }
  return form;
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
