import { capability, from } from '../../capability.ts';

/** The console at /console: its frame and parts of pages. The pages themselves are in the folders of their capabilities (`console`). */
export const consoleFrame = capability('operators/console-frame', {
  console: {
    '/console/search': from(() => import('./search-page.ts'), 'search'),
    '/console/language': from(() => import('./language.ts'), 'chooseLanguage'),
    '/console/continue': from(() => import('./continue-form.ts'), 'continueForm'),
  },
});
