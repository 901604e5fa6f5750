import { html } from '../../pages/html.ts';
import type { ConsolePage } from '../page.ts';
import { inLocale } from '../text.ts';

const words = inLocale({
  en: { title: 'Overview', applications: 'Applications', start: 'Register an application, or look at what is there.' },
  zh: { title: '概览', applications: '应用', start: '登记一个应用，或查看已有内容。' },
});

/** /console */
export const overview: ConsolePage = {
  place: 'overview',
  show: async ({ locale }) => {
    const text = words(locale);
    return {
      title: text.title,
      body: html`<section><p>${text.start}</p><p><a class="button" href="/console/applications">${text.applications}</a></p></section>`,
    };
  },
};
