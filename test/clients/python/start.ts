import assert from 'node:assert/strict';
import type { PageSetting } from '../pages/page.ts';
import { type Program, startProgram } from '../pages/program.ts';

/** The program of a page, which listens by itself. */
export function startFlask(setting: PageSetting): Promise<Program> {
  return start(setting, 'exec "$PYTHON" shop.py');
}

/** The two commands that the pages of Django name, without the reloader, which would be a process of its own. */
export function startDjango(setting: PageSetting): Promise<Program> {
  return start(setting, '"$PYTHON" shop.py migrate && exec "$PYTHON" shop.py runserver --noreload "$PORT"');
}

function start({ block, port }: PageSetting, script: string): Promise<Program> {
  const python = process.env.CLIENTS_PYTHON;
  assert(python, 'these are run by `npm run test:clients`');
  const files = { 'shop.py': block('python') };
  const env = { PYTHON: python, PORT: String(port), PYTHONDONTWRITEBYTECODE: '1' };
  return startProgram({ command: '/bin/sh', args: ['-c', script], files, env }, port);
}
