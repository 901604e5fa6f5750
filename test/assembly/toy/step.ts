import { resume } from '../../../src/people/sign-in/progress.ts';
import { passStep } from '../../../src/people/sign-in/session.ts';
import { type StepPage, sessionOf } from '../../../src/people/sign-in/visit.ts';
import { html } from '../../../src/platform/ui/html.ts';
import { page } from '../../../src/platform/ui/layout.ts';

export const houseRules: StepPage = {
  actions: ['read'],
  show: async ({ signIn }) =>
    page({
      locale: 'en',
      title: 'House rules',
      body: html`<h1>House rules</h1>
<form method="post" action="/login/house-rules"><input type="hidden" name="pending" value="${signIn.sealed}"><button name="action" value="read">I have read them</button></form>`,
    }),
  submit: async visit => {
    const session = await sessionOf(visit);
    return session
      ? passStep(visit, 'house-rules', session.user.sub)
      : resume(visit.services.config.baseUrl, visit.signIn);
  },
};
