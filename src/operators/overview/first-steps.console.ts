import { listApplications } from '../../directory/applications/operations.ts';
import { createUser, listUsers } from '../../directory/users/operations.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { ConsoleContext } from '../console-frame/page.ts';
import { DEMO } from '../demo/demo.ts';
import { firstStepsText } from './console.text.ts';
import type { Notice } from './notice.console.ts';

/** What a new deployment needs before people use it, in this order. Shown until there is a client that is neither ours nor of the demo. */
export interface FirstStep {
  readonly name: keyof (typeof firstStepsText)['en']['steps'];
  readonly path: string;
  readonly isDone: boolean;
}

const OURS = ['gatehouse', DEMO.app];

/** Undefined: somebody uses it already, or the operator is limited to some of its applications. */
export async function firstSteps(
  { perform, services, operator, can }: ConsoleContext,
  notices: readonly Notice[],
): Promise<readonly FirstStep[] | undefined> {
  if (operator.applications !== undefined) return undefined;
  const found = await perform<{ items: { code: string }[] }>(listApplications, { params: {}, query: { limit: '3' } });
  if (found.kind !== 'done') return undefined;
  const own = found.value.items.map(({ code }) => code).filter(code => !OURS.includes(code));
  const [client] = own.length === 0 ? [] : await services.store.firstClients(own, 1);
  if (client) return undefined;
  const isOpen = (path: string) => notices.some(({ act }) => 'path' in act && act.path === path);
  const [app] = own;
  const clientPath = app === undefined ? '/console/applications' : `/console/applications/${app}/clients/new`;
  const hasFactor = !notices.some(({ isFirstStep, act }) => isFirstStep && 'action' in act);
  const users = await perform<{ items: unknown[] }>(listUsers, { params: {}, query: { limit: '3' } });
  return [
    { name: 'application', path: '/console/applications/new', isDone: app !== undefined },
    { name: 'client', path: clientPath, isDone: false },
    { name: 'mail', path: '/console/mail', isDone: !isOpen('/console/mail') },
    { name: 'factor', path: '/account/security', isDone: hasFactor },
    { name: 'backup', path: '/console/status#backups', isDone: !isOpen('/console/status#backups') },
    ...(can(createUser)
      ? [
          {
            name: 'people',
            path: '/console/users',
            isDone: users.kind === 'done' && users.value.items.length > 1,
          } as const,
        ]
      : []),
  ];
}

export function firstStepsSection({ locale }: ConsoleContext, steps: readonly FirstStep[]): Html {
  const text = firstStepsText[locale];
  const items = steps.map(({ name, path, isDone }) => {
    const [title, detail, button] = text.steps[name];
    return html`<li class="${isDone ? 'done' : 'open'}"><span class="mark" aria-hidden="true"></span><div><strong>${title}</strong>${
      isDone && html` <span class="muted">${text.done}</span>`
    }<p class="muted">${detail}</p></div>${!isDone && html`<a class="button quiet small" href="${path}">${button}</a>`}</li>\n`;
  });
  return html`<section class="first-steps"><h2>${text.title}</h2><ol>${items}</ol></section>`;
}
