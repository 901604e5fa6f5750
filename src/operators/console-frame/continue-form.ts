import { failure } from '../../failures.ts';
import { openSignIn, RESUME } from '../../people/sign-in/progress.ts';
import { html } from '../../platform/ui/html.ts';
import type { ConsolePage } from './page.ts';
import { consoleText } from './text.ts';

/** /console/continue: a form that had to wait for a sign-in. Nothing of it is lost, and it is sent by the operator's own click. */
export const continueForm: ConsolePage = {
  place: 'overview',
  show: async ({ services, request, locale, query }) => {
    const sealed = query.get(RESUME);
    const waiting = openSignIn(services, request, sealed)?.progress.ownPage?.form;
    if (!waiting) {
      return {
        failure: failure('pendingRequestExpired'),
        facts: { pending: services.pending.faultOf(request, sealed, 'sign-in') },
      };
    }
    const text = consoleText[locale];
    const { leftOut = [] } = waiting;
    const fields = [...new URLSearchParams(waiting.body)].map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`,
    );
    return {
      title: text.continueTitle,
      body: html`<section><p>${text.continueText} <code>${waiting.action}</code></p>
${leftOut.length > 0 && html`<p>${text.continueLeftOut} <code>${leftOut.join(', ')}</code></p>`}
<form method="post" action="${waiting.action}">${fields}<button type="submit">${text.continueButton}</button></form></section>`,
    };
  },
};
